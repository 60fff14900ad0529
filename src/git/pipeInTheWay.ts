import { readdir, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { sleepUnless } from '../base/sleepUnless.ts';
import { realOr } from '../base/realPath.ts';

/** So long a call of git goes on before the first look, in milliseconds. Each next look waits twice as long. */
const PATIENCE_MS = 2000;

/** Files that git opens in each folder of a checkout (git's own gitattributes, gitignore and gitmodules), on some systems in any case. */
const OPENED = /^\.git(?:attributes|ignore|modules)$/i;

/**
 * A pipe or a device in the place of a file that git reads in a checkout. Git would wait there for good. An agent can put one into any
 * folder, so each look goes through all folders. A call that ends soon costs no look.
 * @param over when git has ended
 * @returns once there is one; `undefined` once git has ended
 */
export async function pipeInTheWay(folder: string, over: AbortSignal): Promise<string | undefined> {
	for (let pauseMs = PATIENCE_MS; !over.aborted; pauseMs *= 2) {
		await sleepUnless(pauseMs, over);
		const pipe = await pipeBelow(folder, over);
		if (pipe !== undefined) return pipe;
	}
	return undefined;
}

async function pipeBelow(folder: string, over: AbortSignal): Promise<string | undefined> {
	if (over.aborted) return undefined;
	// A folder may go meanwhile, or not be readable, also not for git.
	for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) {
			const pipe = entry.name === '.git' ? undefined : await pipeBelow(path, over);
			if (pipe !== undefined) return pipe;
		} else if (OPENED.test(entry.name) && !entry.isFile()) {
			// Git before 2.32 follows a link.
			const found = await stat(path).catch(() => undefined);
			const holdsUp = found && !found.isFile() && !found.isDirectory();
			if (holdsUp && realOr(path) !== devNull) return path;
		}
	}
	return undefined;
}
