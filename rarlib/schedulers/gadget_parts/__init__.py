"""What online schedulers that plan slot by slot share."""
