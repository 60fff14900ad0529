import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../../base/folders.ts';
import { liveness, ownIdentity, PROCESS_WORD, processOf, processWord } from '../../base/liveness.ts';
import { requireOwn } from '../../core/files/ownFolder.ts';

const SOCKET = new RegExp(String.raw`^${PROCESS_WORD}\.sock$`);

/**
 * The path for the socket of this process, in a folder that nobody else can enter. Those of processes that have ended go: a killed one has left
 * its own. The name is short, because a path with a socket may have about a hundred bytes.
 */
export function newSocket(env: NodeJS.ProcessEnv): string {
	const runtime = env['XDG_RUNTIME_DIR'];
	const parent = runtime?.startsWith('/') && existsSync(runtime) ? runtime : dataFolder(env);
	const folder = join(parent, runtime === parent ? 'nancy' : 'run');
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	requireOwn([parent, folder]);
	if ((lstatSync(folder).mode & 0o077) !== 0) throw new Error(`others may look into ${folder}`);
	const own = `${processWord(ownIdentity())}.sock`;
	for (const name of readdirSync(folder)) {
		const { groups } = SOCKET.exec(name) ?? {};
		// Where processes tell no start time, an earlier one had this name, too.
		const isLeft = groups && (name === own || liveness(processOf(groups)) === 'dead');
		if (isLeft) rmSync(join(folder, name), { force: true });
	}
	return join(folder, own);
}
