import { NancyError } from '../base/errors.ts';

/** Of a call that Nancy has ended. */
export function tooLong(folder: string, command: string, timeoutMs: number): NancyError {
	return new NancyError(
		'timeout',
		`git ${command} gave no answer for ${folder} in ${timeoutMs / 1000} s; is one of the files in its .git, or a .gitignore, a pipe?`,
	);
}

/** Of a call that git has ended with an error. */
export function failure(folder: string, [command]: readonly string[], said: string, error: Error | null): NancyError {
	if (said.includes('cannot use bare repository')) {
		return new NancyError(
			'not-trusted',
			`${folder} is in a folder that looks like a bare repository: a clone can bring one along, with settings that run programs. ` +
				'Work at the top of the checkout around it, or in a checkout of it',
			{ cause: error },
		);
	}
	const isNotFetched = /lazy fetching disabled|transport '.*' not allowed/.test(said);
	const hint = isNotFetched ? '; Nancy has git fetch nothing: run “git fetch --refetch --no-filter” there first' : '';
	return new NancyError('git', `git ${command}: ${lastLines(said) || 'it has failed'}${hint}`, { cause: error });
}

/**
 * The words of git's sentences, and of the system's errors behind them. Any other may be of a file that an agent may not read but has put in
 * git's way: git quotes a line of `shallow`, of `worktrees/x/gitdir`, of a list of stores, and of what `core.attributesFile` names.
 */
const WORDS = new Set(
	(
		'about access after all allowed already alternate ambiguous an and another any arguments at attributes bad bare be because been ' +
		'bit bits both branch broken by can cannot changes character check checked checkout checksum clean commit commits config conflict ' +
		'conflicts conversion copy corrupt could create current data dead delete denied detected device did different directory disk does ' +
		'dubious empty end entries entry error escapes excluded exceeded exist exists expected external extension failed fatal fetch fetching ' +
		'few file files filter filtering find first following for format found from full graft group has have hash head helper hint ' +
		'histories history hook hooks ignoring in incompatible index input integrity interrupted invalid involves is it large latest lazy ' +
		'left length like limit line link linked links list local lock locked long loop loose make many mark match memory merge merged merges ' +
		'message mismatch missing mode move multiple must name named names need needed new no non normalize not nothing null object objects ' +
		'of off on one only open operation option or order other out output over overwrite overwritten own owned owner ownership pack packed ' +
		'packfile parent parse partial path paths pathspec permission permitted pipe please possible process prune quota range read reading ' +
		'recent ref reference refs refusing registered remote remove removed rename replace repository required reset resolve resource ' +
		'revision revisions root run safe save set shallow short side sign signature single size smudge so some something sort space sparse ' +
		'specified stage start staged stash status still store submodule such support supported switch symbolic symlink system tag temporarily ' +
		'than that the their them there this to too top toplevel track tracked transport tree trees type unable unavailable unborn unexpected ' +
		'unknown unlink unmerged unpack unreadable unrecognized unrelated unsafe unsupported until untracked unusable update updated updating ' +
		'use used user using valid value version was we were when which while with within work working worktree worktrees would write writing ' +
		'written wrong you your zlib'
	).split(' '),
);

/** Of git's errors, only their own words, the others as “…”. */
function lastLines(text: string): string {
	return text
		.split('\n')
		.filter(line => /^(?:fatal|error): /.test(line))
		.slice(-5)
		.join(' ')
		.replace(/\S+/g, word => (WORDS.has(/^([a-z]+)[.,:;]?$/i.exec(word)?.[1]?.toLowerCase() ?? '') ? word : '…'))
		.replace(/…(?: …)+/g, '…')
		.slice(-1000);
}
