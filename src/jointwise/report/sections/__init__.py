"""The sections of reports, one small file each."""
