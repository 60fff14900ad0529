import { basename } from 'node:path';

/** They run a program of which the line says little or nothing, or they change what the following words mean. */
const OPAQUE = new Set(
	(
		'if then else elif fi for while until do done case esac function select coproc ! [[ time ' +
		'. source eval exec command builtin env xargs nohup timeout nice setsid stdbuf parallel watch script ssh awk gawk mawk ' +
		'export declare typeset readonly local unset set shopt alias trap enable hash pushd popd ' +
		'busybox toybox tmux screen at batch crontab systemd-run start-stop-daemon expect unbuffer entr socat ' +
		'flock ionice taskset chrt chroot unshare nsenter setpriv fakeroot bwrap firejail xvfb-run dbus-run-session ' +
		'strace ltrace gdb lldb valgrind perf ed ex vi vim nvim emacs psql mysql mariadb sqlite3'
	).split(' '),
);

/** Shells, and interpreters that take their program from the line or from their input. */
export const INTERPRETER =
	/^(?:(?:ba|z|da|a|mk|k|c|tc|tcl|fi)?sh|pwsh|powershell|python|pypy|node|deno|bun|perl|ruby|php|lua|julia|Rscript|groovy|osascript)[\d.]*$/;

/** Options by which an interpreter takes its program from the line, or from its input. */
const CODE = /^-(?:[a-z]*[ceprE])?$|^-(?:Command|Enc\w*)$|^--(?:eval|print|command)/;

/** Their words are text, also where one is the name of an interpreter. */
const TEXT = new Set('grep egrep fgrep rg ag ack echo printf which type man ls'.split(' '));

/** Long options by which a program runs another one. */
const RUNNING =
	/^--?(?:[a-z]+-)*(?:exec|toolexec|execute|extcmd|eval|command|call|rsh|shell|askpass|checkpoint-action|compress-program|unzip-command|upload-pack|receive-pack)(?:-[a-z]+)*(?:=|$)/;

/** Such options of single programs. GNU's programs also take the beginning of an option's name. */
const RUNNING_OF: Readonly<Record<string, RegExp>> = {
	tar: /^-?[A-Za-z]*[IF]|^--(?:checkpoint-|to-c|us|inf|new-|rs|rm)/,
	npx: /^-c|^--cal/,
	npm: /^-c|^--cal/,
	pnpm: /^-c|^--cal/,
	find: /^-(?:exec|ok|delete|fprint|fls)/,
	fd: /^-[a-z]*[xX]/,
	rg: /^--pre(?:=|$)/,
	rsync: /^-[a-zA-Z]*e|^--rs/,
	sort: /^--com/,
	split: /^--fi/,
	scp: /^-[a-zA-Z]*[So]/,
	sftp: /^-[a-zA-Z]*[So]/,
	nc: /^-[a-z]*[ce]/,
	ncat: /^-[a-z]*[ce]|^--sh/,
	zip: /^-TT|^--un/,
	make: /^--ev/,
};

const OTHER_NAMES: Readonly<Record<string, string>> = { gtar: 'tar', bsdtar: 'tar', fdfind: 'fd', gmake: 'make' };

/** Words by which a command of git's runs another program. */
const GIT_RUNNING: Readonly<Record<string, RegExp>> = {
	bisect: /^run$/,
	submodule: /^foreach$/,
	'filter-branch': /^/,
	rebase: /^-[a-z]*x|^--ex/,
	difftool: /^-[a-z]*x|^--ext/,
	grep: /^-[a-zA-Z]*O|^--op/,
	clone: /^-[a-z]*u|^--up/,
	fetch: /^--upl/,
	pull: /^--upl/,
	push: /^--(?:rece|exe)/,
	'ls-remote': /^--(?:up|exe)/,
	archive: /^--exe/,
};

/** Between two signs. A list in brackets may hold the sign, and versions of sed differ there: a script with one is not read. */
const PATTERN = String.raw`(?:\\[^c\n]|(?!\k<sign>)[^\\\n[])*`;

/** A script of sed that prints, deletes and replaces text, of lines by their numbers. Its other commands may run programs. */
const PLAIN_SED = new RegExp(
	String.raw`^(?:(?:[\d$]+(?:,[\d$]+)?)?(?:[pdq]|s(?<sign>[/|#,@])${PATTERN}\k<sign>${PATTERN}\k<sign>[gpiI\d]*)(?:; *|$))+$`,
);

/** Whether a command runs what its line does not show, or what only that other program can read. */
export function runsUnread(called: string, args: readonly string[], isPiped: boolean): boolean {
	const program = basename(called);
	const name = OTHER_NAMES[program] ?? program;
	// A variable for the program may name another one, and so may a pattern.
	if (name === '' || OPAQUE.has(name) || /[=*?[]/.test(called)) return true;
	if (INTERPRETER.test(name)) return isPiped || takesCode(name, args);
	// Its commands have a table of their own.
	if (name === 'git') return false;
	if (name === 'sed' && !isPlainSed(args)) return true;
	if (!TEXT.has(name) && args.some((_, at) => isInterpreter(args.slice(at), isPiped))) return true;
	return optionsOf(name, args).some(arg => RUNNING.test(arg) || RUNNING_OF[name]?.test(arg));
}

/** Whether a command of git's runs another program that its words name. */
export function gitRunsUnread(command: string, args: readonly string[]): boolean {
	return args.some(arg => GIT_RUNNING[command]?.test(arg));
}

/** One script, and no option that brings another. */
function isPlainSed(args: readonly string[]): boolean {
	const [script = '', ...others] = args.filter(arg => !/^-[nErszu]*i?$/.test(arg));
	return PLAIN_SED.test(script) && !others.some(arg => arg.startsWith('-'));
}

/** The words of another program that may be options. Only of `tar`, the first one is so without its sign. */
function optionsOf(name: string, args: readonly string[]): string[] {
	return args.filter((arg, at) => arg.startsWith('-') || (name === 'tar' && at === 0));
}

/** Whether the words begin with an interpreter that another program starts. A word alone may be any name. */
function isInterpreter([word = '', next]: readonly string[], isPiped: boolean): boolean {
	return INTERPRETER.test(basename(word)) && (isPiped || (next !== undefined && CODE.test(next)));
}

/** Whether an interpreter's program is not the file that its first word names, as far as its options tell. */
function takesCode(name: string, [first = '']: readonly string[]): boolean {
	if (/^(?:deno|bun)/.test(name) && /^(?:eval|exec|repl|x)$/.test(first)) return true;
	const isModule = first === '-m' && /^(?:python|pypy)/.test(name);
	return first === '' || (/^[-+]/.test(first) && !isModule);
}
