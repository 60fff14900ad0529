import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { sha256 } from '../base/sha256.ts';
import { checkoutsAbove } from '../core/asker/checkouts.ts';
import { MOST_FILES, programHash, tooMany, type GitPrograms } from '../core/asker/settingsFiles.ts';
import { foldersUpFrom } from '../core/workspace/placeFrom.ts';
import { answersAt, askAt, cutAtZeros } from './git.ts';

/** Settings that name a program, or let git take one from elsewhere: `git help config` of git 2.51, and Git LFS 3.7. */
const RUNS = new RegExp(
	`^(?:${[
		String.raw`filter\..*\.(?:clean|smudge|process)`,
		String.raw`(?:hook|alias|pager|difftool|mergetool|guitool|browser|man|sendemail|protocol|url)\..*`,
		String.raw`lfs\.(?:.*\.)?(?:path|args|standalonetransferagent|clean|smudge)`,
		String.raw`core\.(?:fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand|worktree)`,
		String.raw`credential\.(?:.*\.)?helper`,
		String.raw`diff\.(?:.*\.)?(?:command|textconv|external)`,
		String.raw`gpg\.(?:.*\.)?(?:program|defaultkeycommand)`,
		String.raw`(?:merge|tar|trailer)\..*\.(?:driver|command|cmd)`,
		String.raw`remote\..*\.(?:uploadpack|receivepack|vcs)`,
		String.raw`submodule\..*\.update`,
		String.raw`(?:sequence\.editor|interactive\.difffilter|uploadpack\.packobjectshook|imap\.tunnel|init\.templatedir)`,
	].join('|')})$`,
	's',
);

/** Asks whoever owns the repository: the agent's git may. */
const ANY_OWNER = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' } as const;

interface Setting {
	key: string;
	value: string;
	/** From the user's own files, which no agent of Nancy's writes. */
	isOwn: boolean;
}

/**
 * What git runs in a folder because its repository says so: each setting that names a program and is not the user's own, and each hook. The
 * values are hashes. It is empty outside a repository.
 * @throws NancyError `git` if git is missing where there is a repository, or does not answer
 */
export const gitPrograms: GitPrograms = async folder => {
	const found = new Map<string, string>();
	for (const repository of repositoriesOf(folder)) {
		const { settings, top, hooks } = await (repository.isBare ? bareAt(repository.at) : checkoutFrom(folder));
		const own = new Set(settings.filter(({ isOwn }) => isOwn).map(({ key, value }) => `${key}\n${value}`));
		for (const { key, value, isOwn } of settings) {
			if (isOwn || !RUNS.test(key) || own.has(`${key}\n${value}`)) continue;
			const name = `git config ${key}`;
			found.set(name, sha256(`${found.get(name) ?? ''}\n${value}`));
		}
		const chosen = settings.findLast(({ key }) => key === 'core.hookspath');
		if (top === undefined || chosen?.isOwn || chosen?.value === '') continue;
		const path = chosen ? resolve(top, chosen.value.replace(/^~(?=\/|$)/, homedir())) : hooks;
		for (const [name, hash] of await hooksIn(path)) found.set(`git hook ${name}`, hash);
	}
	return found;
};

/** Git takes the nearest. A bare one among the files counts unless the user's settings say otherwise, and an agent can make one. */
function repositoriesOf(folder: string): { at: string; isBare: boolean }[] {
	const [checkout] = checkoutsAbove(folder);
	const up = foldersUpFrom(folder);
	// The `.git` may be no repository. Then git takes a bare one in the same folder.
	const within = checkout === undefined ? up : up.slice(0, up.indexOf(checkout) + 1);
	const bare = within.filter(at => ['HEAD', 'objects', 'refs'].every(name => existsSync(join(at, name))));
	return [
		...bare.map(at => ({ at, isBare: true })),
		...(checkout === undefined ? [] : [{ at: checkout, isBare: false }]),
	];
}

interface Repository {
	settings: Setting[];
	/** Where git runs hooks, if there is a repository. */
	top: string | undefined;
	/** The folder of hooks if no setting names another one. */
	hooks: string;
}

async function checkoutFrom(folder: string): Promise<Repository> {
	// Where git fails, the agent's git does too, and runs nothing.
	const options = { env: ANY_OWNER, answers: [128] };
	const { stdout } = await askAt(folder, ['config', '--list', '--show-scope', '-z'], options);
	const parts = cutAtZeros(stdout);
	const settings = parts.flatMap((scope, index) =>
		index % 2 === 0 && scope !== 'command'
			? [settingOf(parts[index + 1], scope === 'system' || scope === 'global')]
			: [],
	);
	const asked = ['--show-toplevel', '--git-common-dir'];
	const [top, common = ''] = await answersAt(folder, asked, options);
	return { settings, top: top === '' ? undefined : top, hooks: join(resolve(folder, common), 'hooks') };
}

async function bareAt(at: string): Promise<Repository> {
	const file = join(at, 'config');
	const { stdout } = existsSync(file)
		? await askAt(at, ['config', '--file', file, '--includes', '--list', '-z'], { answers: [128] })
		: { stdout: Buffer.of() };
	return { settings: cutAtZeros(stdout).map(text => settingOf(text, false)), top: at, hooks: join(at, 'hooks') };
}

function settingOf(text = '', isOwn: boolean): Setting {
	const [key = '', ...lines] = text.split('\n');
	return { key, value: lines.join('\n'), isOwn };
}

/** Git's own samples are off: no hook has such a name. */
async function hooksIn(folder: string): Promise<[string, string][]> {
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
	const names = (await readdir(folder)).filter(name => !name.endsWith('.sample'));
	if (names.length > MOST_FILES) throw tooMany(folder);
	const hooks: [string, string][] = [];
	for (const name of names) {
		const hash = await programHash(join(folder, name));
		if (hash !== undefined) hooks.push([name, hash]);
	}
	return hooks;
}
