import type { DriverId } from '../protocol/names.ts';

/** Longest time of a guard that was given up, in milliseconds. Its program ends by itself within 3 s of its start. */
const GRACE_MS = 10_000;

/**
 * The head of the source of a program that a CLI loads unbuilt, with imports of its own. It calls the guard. The program declares
 * `environment(session)`, with which the guard is started.
 */
export function guardSource(driver: DriverId, launcher: string, folder: string): string {
	return `import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

const LAUNCHER = ${JSON.stringify(launcher)};
const FOLDER = ${JSON.stringify(folder)};
const GRACE_MS = ${GRACE_MS};

function isInstalled() {
	try {
		accessSync(LAUNCHER, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

const NOTHING = { code: 0, stdout: '', stderr: '' };

/** With all that it has started. */
function end(child) {
	try {
		process.kill(-child.pid, 'SIGKILL');
	} catch {
		child.kill('SIGKILL');
	}
}

/**
 * One call of the guard, of no more than limit milliseconds where there is one. Never fails. One that takes longer is left to tell
 * its event, and ended after a while; its program cannot print any more, and puts what it would have handed over back into the inbox.
 * Whoever may have to end it earlier gets its process by begun.
 */
function guard(session, event, slot, payload, limit, begun) {
	return new Promise(resolve => {
		try {
			// In a group of its own, by which it can be ended.
			const options = { env: environment(session), stdio: 'pipe', detached: limit !== undefined };
			const child = spawn(LAUNCHER, [${JSON.stringify(driver)}, event, slot, FOLDER], options);
			begun?.(child);
			const said = { stdout: '', stderr: '' };
			const giveUp = () => {
				// Printed whole is handed over: the program has filed it as delivered.
				if (said.stdout.endsWith('\\n')) return resolve({ ...said, code: 0 });
				for (const name of ['stdout', 'stderr']) child[name].destroy();
				child.unref();
				const ending = setTimeout(() => end(child), GRACE_MS);
				ending.unref();
				child.on('exit', () => clearTimeout(ending));
				resolve(NOTHING);
			};
			// What came while this process was busy is read first.
			const timer = limit && setTimeout(() => setTimeout(giveUp), limit);
			for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => (said[name] += text));
			const done = result => { clearTimeout(timer); resolve(result); };
			child.on('error', () => done(NOTHING));
			child.on('close', code => done({ ...said, code }));
			child.stdin.on('error', () => undefined).end(JSON.stringify(payload));
		} catch {
			resolve(NOTHING);
		}
	});
}
`;
}
