"""Damaged recordings are named, sound ones are not refused. The long run is `make soak`."""

import numpy as np
import pytest

from damages import DAMAGES
from jointwise.recording.check import check_recording
from jointwise.recording.check_finding import KINDS
from jointwise.robot.library import load_robot
from sound_recordings import FIRST_OF_REPORT, Outcome, clean_recordings, outcomes

SHORT_RUN = FIRST_OF_REPORT + 5000
NAMED = 0.98


def test_there_are_more_than_thirty_kinds_of_damage():
    assert len({d.name for d in DAMAGES}) >= 30
    assert {kind for d in DAMAGES for kind in d.kinds} <= set(KINDS)


@pytest.mark.parametrize("number", range(len(DAMAGES)), ids=lambda n: DAMAGES[n].name)
def test_a_damage_is_named_and_its_joint_with_it(number):
    outcome = Outcome(DAMAGES[number], SHORT_RUN + number)
    assert not outcome.silent
    assert outcome.named, f"{outcome.robot} {outcome.joints}: {outcome.kind}: {outcome.text}"


def test_sound_recordings_are_not_refused():
    found = clean_recordings(SHORT_RUN, 4)
    verdicts = [check_recording(r, load_robot(r.robot)).verdict for r in found]
    assert verdicts.count("refused") == 0


@pytest.mark.soak
def test_of_hundreds_of_damaged_recordings_none_is_silent_and_nearly_all_are_named():
    found = outcomes(FIRST_OF_REPORT, 6)
    assert len(found) >= 300
    assert [o.damage.name for o in found if o.silent] == []
    assert np.mean([o.named for o in found]) >= NAMED


@pytest.mark.soak
def test_of_sixty_sound_recordings_at_most_one_is_refused():
    found = clean_recordings(FIRST_OF_REPORT, 40)
    assert len(found) >= 40
    verdicts = [check_recording(r, load_robot(r.robot)).verdict for r in found]
    assert verdicts.count("refused") <= 1
