import type { DriverId } from '../protocol/names.ts';

/**
 * How a program that a CLI loads unbuilt calls the guard: the head of its source, with imports of its own. The program declares
 * `environment(session)`, with which the guard is started.
 */
export function guardSource(driver: DriverId, launcher: string, folder: string): string {
	return `import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

const LAUNCHER = ${JSON.stringify(launcher)};
const FOLDER = ${JSON.stringify(folder)};

function isInstalled() {
	try {
		accessSync(LAUNCHER, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

const NOTHING = { code: 0, stdout: '', stderr: '' };

/**
 * One call of the guard, of no more than limit milliseconds where there is one. Never fails. One that takes longer is left to tell
 * its event; its program cannot print any more, and puts what it would have handed over back into the inbox.
 */
function guard(session, event, slot, payload, limit) {
	return new Promise(resolve => {
		try {
			const options = { env: environment(session), stdio: 'pipe' };
			const child = spawn(LAUNCHER, [${JSON.stringify(driver)}, event, slot, FOLDER], options);
			const said = { stdout: '', stderr: '' };
			const giveUp = () => {
				// Printed whole is handed over: the program has filed it as delivered.
				if (said.stdout.endsWith('\\n')) return resolve({ ...said, code: 0 });
				for (const name of ['stdout', 'stderr']) child[name].destroy();
				child.unref();
				resolve(NOTHING);
			};
			// What came while this process was busy is read first.
			const timer = limit && setTimeout(() => setTimeout(giveUp), limit);
			for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => (said[name] += text));
			const end = result => { clearTimeout(timer); resolve(result); };
			child.on('error', () => end(NOTHING));
			child.on('close', code => end({ ...said, code }));
			child.stdin.on('error', () => undefined).end(JSON.stringify(payload));
		} catch {
			resolve(NOTHING);
		}
	});
}
`;
}
