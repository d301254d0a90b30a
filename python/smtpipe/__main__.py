"""Makes ``python -m smtpipe`` the program."""

from smtpipe import main

main()
