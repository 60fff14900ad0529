import { devNull } from 'node:os';
import { withSafePath } from '../base/searchPath.ts';

/** The settings and variables of every call of git. */

/** The author of commits and of reflogs' lines that no person made, whatever is configured: an agent can write the repository's settings. */
export const OWN_IDENTITY = {
	GIT_AUTHOR_NAME: 'Nancy',
	GIT_AUTHOR_EMAIL: 'nancy@localhost',
	GIT_COMMITTER_NAME: 'Nancy',
	GIT_COMMITTER_EMAIL: 'nancy@localhost',
} as const;

/**
 * Settings that override those of the user and of the repository. Settings of a repository, written by an agent or a clone, must run no
 * program, ask no question and touch nothing else.
 */
export const SETTINGS = [
	// A clone can bring a bare repository in a folder. Git would take it, with its settings, for the repository there.
	'safe.bareRepository=explicit',
	// Hooks of the repository's folder and of the user's.
	`core.hooksPath=${devNull}`,
	// A program that git asks for changed files.
	'core.fsmonitor=false',
	// A program that names the commits of a repository whose objects this one borrows. It is run by a fetch.
	'core.alternateRefsCommand=:',
	// Programs that know passwords. Nothing is fetched, and a filter that would fetch runs without them.
	'credential.helper=',
	// Files and addresses that a fetch reads besides what it fetches from, over any protocol.
	'fetch.bundleURI=',
	// Another fetch that a push would begin.
	'push.negotiate=false',
	// Programs that sign, and programs that check signatures.
	'commit.gpgSign=false',
	'merge.verifySignatures=false',
	// Git would start another git in each submodule, whose settings an agent may have written.
	'submodule.recurse=false',
	// Work in the background.
	'gc.auto=0',
	'maintenance.auto=false',
	// Parts of the user's index, stash and records that Nancy must not touch.
	'core.untrackedCache=false',
	'core.splitIndex=false',
	'merge.autoStash=false',
	'rerere.enabled=false',
	// A file among git's objects that says which tree and parents a commit has. An isolated agent can write it.
	'core.commitGraph=false',
	// What shows that a file has changed. With less, an edit of the same length under the old time would be in no tree.
	'core.trustctime=true',
	'core.checkStat=default',
	// The format of git's output and objects.
	'core.safecrlf=false',
	'core.quotePath=false',
	'i18n.commitEncoding=UTF-8',
	'advice.addEmbeddedRepo=false',
].flatMap(setting => ['-c', setting]);

/**
 * Variables that override settings of the same kind. The user's index is not even refreshed, and there is no question, editor, pager or
 * connection.
 * A repository may say that objects are missing, and which program fetches them (`remote.<name>.promisor`, `uploadpack`, `vcs`,
 * `core.sshCommand`, URLs `ext::`). GIT_NO_LAZY_FETCH forbids this since git 2.39.4. GIT_ALLOW_PROTOCOL forbids every protocol but one
 * whose name nobody can know beforehand. With a fixed word, such as `none`, `remote.<name>.vcs=none` runs `alias.remote-none`.
 */
export function switches(): Readonly<Record<string, string>> {
	return {
		LC_ALL: 'C',
		GIT_OPTIONAL_LOCKS: '0',
		GIT_TERMINAL_PROMPT: '0',
		// Overrides `core.askPass` and SSH_ASKPASS.
		GIT_ASKPASS: 'false',
		GIT_EDITOR: ':',
		GIT_PAGER: 'cat',
		GIT_SSH_COMMAND: 'false',
		GIT_NO_LAZY_FETCH: '1',
		// In seconds. Git writes its progress also where nobody reads any more, and would die of that in the middle of a checkout.
		GIT_PROGRESS_DELAY: '100000',
		// An agent's program could put another repository's commit in the place of the one that Nancy names.
		GIT_NO_REPLACE_OBJECTS: '1',
		// The global one is loaded at its first use.
		GIT_ALLOW_PROTOCOL: crypto.randomUUID(),
	};
}

/**
 * Variables that say where git's own settings and programs are. Every other GIT_ variable is about a repository, or a person's terminal.
 */
const KEPT = /^GIT_(?:CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|EXEC_PATH|SSL_.*|CEILING_DIRECTORIES)$/;

/** The environment of a command in a worktree. Git itself may have started Nancy, in another repository. */
export function withoutGitVariables(): NodeJS.ProcessEnv {
	const others = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name));
	return withSafePath(Object.fromEntries(others));
}
