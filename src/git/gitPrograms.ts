import { existsSync, lstatSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isInside } from '../base/inside.ts';
import { realOr } from '../base/realPath.ts';
import { sha256 } from '../base/sha256.ts';
import { checkoutsAbove } from '../core/asker/checkouts.ts';
import { requireSameForAll } from '../core/asker/sameForAll.ts';
import { MOST_FILES, programHash, tooMany, type GitPrograms } from '../core/asker/settingsFiles.ts';
import { foldersUpFrom } from '../core/workspace/placeFrom.ts';
import { answersAt, askAt, cutAtZeros } from './git.ts';
import { ANY_OWNER } from './trackedFiles.ts';

/** Settings that name a program, or let git take one from elsewhere: `git help config` of git 2.51, and Git LFS 3.7. */
const RUNS = new RegExp(
	`^(?:${[
		String.raw`filter\..*\.(?:clean|smudge|process)`,
		String.raw`include(?:if\..*)?\.path`,
		String.raw`(?:hook|alias|pager|difftool|mergetool|guitool|browser|man|sendemail|protocol|url)\..*`,
		String.raw`lfs\.(?:.*\.)?(?:path|args|standalonetransferagent|clean|smudge)`,
		String.raw`core\.(?:fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand|worktree)`,
		String.raw`gc\.recentobjectshook`,
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

/** Each takes a few processes at each start. */
const MOST_REPOSITORIES = 200;

interface Setting {
	key: string;
	value: string;
	/** From the user's own files, which no agent of Nancy's writes. */
	isOwn: boolean;
}

/**
 * The programs that git runs in a folder because its repository says so. They are each setting that names a program and is not the user's
 * own, and each hook. The values are hashes. The map is empty outside a repository.
 * @throws NancyError `git` if git is missing where there is a repository, or does not answer
 */
export const gitPrograms: GitPrograms = async folder => {
	const found = new Map<string, string>();
	const add = (name: string, value: string) => found.set(name, sha256(`${found.get(name) ?? ''}\n${value}`));
	const places = repositoriesOf(folder);
	const looked = new Set<string>();
	for (const at of places) {
		const repository = await repositoryAt(at);
		if (!repository) {
			// What Nancy's git cannot read, another version may.
			if (at.bare) add(`git repository ${at.folder}`, '');
			continue;
		}
		const { settings, top, hooks } = repository;
		if (!at.bare) {
			// Without a repository of its own, a submodule's folder is one of the repository above.
			if (looked.has(realOr(top))) continue;
			places.push(...(await submodulesOf(top)));
			if (looked.add(realOr(top)).size > MOST_REPOSITORIES) throw tooMany(top, `${MOST_REPOSITORIES} submodules`);
		}
		const own = new Set(settings.filter(({ isOwn }) => isOwn).map(({ key, value }) => `${key}\n${value}`));
		for (const { key, value, isOwn } of settings)
			if (!isOwn && RUNS.test(key) && !own.has(`${key}\n${value}`) && !isOfSubmodule(at, key, top))
				add(`git config ${key}`, value);
		const chosen = settings.findLast(({ key }) => key === 'core.hookspath');
		if (chosen?.value === '') continue;
		const path = requireSameForAll(chosen ? below(top, chosen.value) : hooks);
		if (path === undefined || (chosen?.isOwn && !isInside(realOr(top), path))) continue;
		for (const [name, hash] of await hooksIn(path)) add(`git hook ${name}`, hash);
	}
	return found;
};

/** With the `..` in it, behind which git goes on from where a link leads. */
function below(top: string, path: string): string {
	const named = path.replace(/^~(?=\/|$)/, homedir());
	return isAbsolute(named) ? named : `${top}/${named}`;
}

interface Place {
	folder: string;
	/** Git's own folder without a `.git`, which git may find on its way up. */
	bare: boolean;
	isSubmodule?: true;
}

/**
 * A bare repository among the files counts for git unless the user's settings say otherwise. An agent can make one, in many forms: each has
 * a `HEAD`. The nearest `.git` may be no repository: then git goes on upwards.
 */
function repositoriesOf(folder: string): Place[] {
	const up = foldersUpFrom(folder);
	const bare = up.filter(at => lstatSync(join(at, 'HEAD'), { throwIfNoEntry: false }) !== undefined);
	return [
		...bare.map(at => ({ folder: at, bare: true })),
		...(checkoutsAbove(folder).length > 0 ? [{ folder, bare: false }] : []),
	];
}

/** Git works in each that is there: a `git status` runs what its settings say. */
async function submodulesOf(top: string): Promise<Place[]> {
	const { stdout } = await askAt(top, ['ls-files', '--stage', '-z'], { env: ANY_OWNER });
	// Most repositories have none, and some have half a million other files.
	if (!stdout.includes(GITLINK)) return [];
	return cutAtZeros(stdout)
		.filter(entry => entry.startsWith(GITLINK))
		.map(entry => ({
			folder: join(top, entry.slice(entry.indexOf('\t') + 1)),
			bare: false,
			isSubmodule: true as const,
		}))
		.filter(({ folder }) => existsSync(join(folder, '.git')));
}

const GITLINK = '160000 ';

/** Git writes it into the settings of each submodule: its own folder. */
function isOfSubmodule({ isSubmodule, folder }: Place, key: string, top: string): boolean {
	return isSubmodule === true && key === 'core.worktree' && realOr(folder) === realOr(top);
}

interface Repository {
	settings: Setting[];
	/** Where git runs hooks. */
	top: string;
	/** The folder of hooks if no setting names another one. */
	hooks: string;
}

/** `undefined` where git finds no repository, or none that it can read: the agent's git then runs nothing, too. */
async function repositoryAt({ folder, bare }: Place): Promise<Repository | undefined> {
	const options = { env: { ...ANY_OWNER, ...(bare && { GIT_DIR: folder }) }, answers: [128] };
	const [common = ''] = await answersAt(folder, ['--git-common-dir'], options);
	if (common === '') return undefined;
	const { code, stdout } = await askAt(folder, ['config', '--list', '--show-scope', '-z'], options);
	if (code !== 0) return undefined;
	const parts = cutAtZeros(stdout);
	const settings = parts.flatMap((scope, index) =>
		index % 2 === 0 && scope !== 'command'
			? [settingOf(parts[index + 1], scope === 'system' || scope === 'global')]
			: [],
	);
	const [top = ''] = await answersAt(folder, ['--show-toplevel'], options);
	return { settings, top: top === '' ? folder : top, hooks: `${below(folder, common)}/hooks` };
}

function settingOf(text = '', isOwn: boolean): Setting {
	const [key = '', ...lines] = text.split('\n');
	return { key, value: lines.join('\n'), isOwn };
}

/** Git's own samples are off: no hook has such a name. @param folder without links */
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
