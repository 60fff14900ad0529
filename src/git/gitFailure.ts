import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { quoted } from '../base/shellWord.ts';

/** A disk is full. Once there is room again, the same call may do. */
export class NoRoom extends NancyError {}

/** The way to another machine has ended during a transfer. A repeat may come through. */
export class ConnectionLost extends NancyError {}

/** The error of a call that Nancy has ended at its time limit. */
export function tooLong(folder: string, command: string, timeoutMs: number): NancyError {
	return new NancyError(
		'timeout',
		phrase`git ${command} gave no answer for ${folder} in ${timeoutMs / 1000} s; is one of the files in its .git, or a .gitignore, a pipe?`,
	);
}

/** The error of a call that Nancy has ended because git waited for this pipe: see {@link pipeInTheWay}. */
export function held(command: string, pipe: string): NancyError {
	return new NancyError(
		'not-trusted',
		phrase`git ${command} has been ended, because ${pipe} is a pipe or a device, and git would wait for it for good. Remove it: ${`rm ${quoted(pipe)}`}`,
	);
}

/** Alone in a line of the error output: the way to another machine has ended, and git knows no more. */
export const LOST = 'nancy: the connection was lost';

/** The error of a call that git has ended with an error. */
export function failure(folder: string, [command]: readonly string[], said: string, error?: Error): NancyError {
	if (said.includes('cannot use bare repository')) {
		return new NancyError(
			'not-trusted',
			phrase`${folder} is in a folder that looks like a bare repository: a clone can bring one along, with settings that run programs.
				Work at the top of the checkout around it, or in a checkout of it`,
			{ cause: error },
		);
	}
	// A question quotes files, in which an agent may have written that line.
	if ((command === 'push' || command === 'fetch') && said.split('\n').includes(LOST))
		return new ConnectionLost('timeout', phrase`the connection was lost during git ${command}`, { cause: error });
	const isNotFetched = /lazy fetching disabled|transport '.*' not allowed/.test(said);
	const hint = isNotFetched
		? phrase`; Nancy has git fetch nothing: run "git fetch --refetch --no-filter" there first`
		: '';
	const words = phrase`git ${command}: ${ownWords(said)}${hint}`;
	return /No space left on device|Disk quota exceeded/.test(said)
		? new NoRoom('io', words, { cause: error })
		: new NancyError('git', words, { cause: error });
}

/**
 * The words of git's sentences, and of the system's errors behind them. Any other word may be from a file that an agent may not read but
 * has put in git's way. Git quotes a line of `shallow`, of `worktrees/x/gitdir`, of a list of stores, and of what `core.attributesFile`
 * names.
 */
const WORDS = new Set(
	(
		'a aborting about already alternate ambiguous an and another at bad bare be branch broken by cannot check checked checkout checksum commit ' +
		'config conflict copy corrupt could create data detected device did different directories directory disk does dubious empty entry ' +
		'error exceeded exist exists external failed fatal file files filter first following format found from full git graft has ' +
		'have head histories hook hooks in index input interrupted invalid is it large left limit line link links local lock long loop ' +
		'malformed many match memory merge missing mode must name named need needed new no not null object objects of on only ' +
		'open operation option or out output outside over overwritten owned owner ownership pack packed parents parse path permission ' +
		'permitted pipe process quota read reading ref reference refs registered remove repository required reset resolve ' +
		'revision shallow signature single size smudge space sparse stash store submodule such switch symbolic system ' +
		'temporarily that the there to too tree type unable unexpected unknown unmerged unreadable unrelated unsafe unsupported ' +
		'untracked update use used valid value version was when while with work working worktree worktrees would write written'
	).split(' '),
);

/** Git's errors, in git's own words alone; any other is “…”. */
export function ownWords(said: string): string {
	const words = said
		.split('\n')
		.filter(line => /^(?:fatal|error): /.test(line))
		.slice(-5)
		.join(' ')
		.replace(/\S+/g, word => (WORDS.has(/^([a-z]+)[.,:;]?$/i.exec(word)?.[1]?.toLowerCase() ?? '') ? word : '…'))
		.replace(/\u2026(?: \u2026)+/g, '…')
		.slice(-1000);
	return words || 'it has failed';
}
