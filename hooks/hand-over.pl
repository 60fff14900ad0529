# Run by hooks/hand-over, which has found everything as it was prepared (core/mailbox/prepared.ts). Claims the message, prints the answer and
# writes the records, in the order of core/mailbox/mailbox.ts. One program for all of it, because most of what a small one takes is its start.
#
# The event is the standard input, and the words are in the environment. The spool and the folders of the mailbox are open as 6 to 9. Ends
# with 3 if nothing is done, or all of it undone: then the hook's program hands over. After a kill, the next hook recovers the claim.
#
# No module is loaded.

# Numbers of Linux, see open(2). O_CREAT with O_EXCL follows no link. O_NOFOLLOW has another number on ARM.
sub O_NEW { 01 | 0100 | 0200 }
sub O_NONBLOCK { 04000 }

sub word { $ENV{"nancy_$_[0]"} }

# The parent and the start of a process, see proc_pid_stat(5). The name between the parentheses may hold anything.
sub look_at {
	open my $file, '<', "/proc/$_[0]/stat" or return;
	<$file> =~ /.*\) \S (\d+) (?:\S+ ){17}(\d+) /s;
}

# Opens a plain file to read. A pipe is not waited for, and a link is not followed.
sub plain {
	my @named = lstat $_[0] or return;
	-f _ && sysopen my $file, $_[0], O_NONBLOCK or return;
	my @opened = stat $file;
	-f _ && "@named[0, 1]" eq "@opened[0, 1]" ? $file : undef;
}

sub all_of { my $file = plain($_[0]) or return; local $/; scalar <$file> }

# Whether two names are of one file.
sub is_same { my @one = stat $_[0] or return; my @other = stat $_[1] or return; "@one[0, 1]" eq "@other[0, 1]" }

# Makes a file. What has the name already is left alone.
sub make {
	sysopen my $file, $_[0], O_NEW, 0600 or return;
	my $written = syswrite $file, $_[1];
	defined $written && $written == length $_[1] && close $file;
}

# Makes a file beside what is prepared and renames it into place: a pipe that somebody put there would be waited for.
sub put { make("$prepared.filed", "$_[1]\n") && rename "$prepared.filed", $_[0] }

sub remove { my $left = 0; for (@_) { unlink; lstat and $left++ } !$left }

# If somebody took the name in the inbox, the claim stays. Its process is about to end, and the next hook finds a name for it.
sub give_back { lstat $message or rename $claim, $message }

# Whether the CLI still waits for the guard, and the guard for this.
sub is_awaited {
	my ($parent) = look_at($guard) or return;
	open my $file, '<', '/proc/uptime' or return;
	# As a fraction it can be less than its own ticks: 1024.09 * 100 < 102409.
	<$file> =~ /^(\d+)\.(\d\d)/ or return;
	my $age = "$1$2" - word('ticks');
	$parent == word('caller') && getppid == $guard && $age >= 0 && $age < word('most');
}

sub say_all { my $written = syswrite STDOUT, $_[0]; defined $written && $written == length $_[0] }

($prepared, $guard, $id, $at, $filed) = map { word($_) } qw(prepared guard id at filed);
($spool, $inbox, $claimed, $delivered) = map { "/proc/self/fd/$_" } 6 .. 9;
$ticks = (look_at($$))[1] or exit 3;
$me = "$$\@" . word('machine') . "-$ticks";
$message = "$inbox/$id.md";
$claim = "$claimed/$me-$id.md";
$name = "$spool/" . word('event_name') . "~$$-$ticks";
$event = do { local $/; <STDIN> };

# The tests put a kill before each line from here on.
# Another machine must not take the claim: see core/files/leases.ts. Without a time of its own, the disk dates it. Nothing is written,
# because the name may be of a file of the user's elsewhere.
$lease = plain(word('lease')) or exit 3;
utime undef, undef, $lease or exit 3;
rename $message, $claim or exit 3;
# A sandboxed agent may have made the message's file as long as it likes.
$text = is_same(word('seal'), "$prepared.seal") && -s $claim == -s "$prepared.md" ? all_of($claim) : undef;
unless (defined $text && $text eq all_of("$prepared.md") && make("$name-0.json", $event)) {
	give_back();
	exit 3;
}
# Nobody may read it any more. Then this must not die of that.
$SIG{PIPE} = 'IGNORE';
# From here on nobody can take the message back. If somebody has, the link fails, and the next hook files the claim.
make("$prepared.handing", word('handing') . $me . word('handing_end') . "\n") or exit 0;
link "$prepared.handing", $filed or exit 0;
unless (is_awaited() && say_all(word('said') . "\n")) {
	remove($filed, "$prepared.handing") and give_back();
	exit 0;
}
# After a kill before this line, nobody knows whether the agent has the message: it waits again, and says so.
put($filed, word('sealed') . $at . word('sealed_end')) or exit 0;
put("$delivered/$id.receipt.json", word('receipt') . $at . word('receipt_end'));
rename $claim, "$delivered/$id.md" or exit 0;
put("$name-1-note.json", word('note') . $at . word('note_end'));
remove(word('seal'), map { "$prepared$_" } '', '.md', '.seal', '.handing', '.filed');
exit 0;
