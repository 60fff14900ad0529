import { delimiter, dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';
import { NancyCommand } from './nancyCommand.ts';

let nancy: NancyCommand;
let folder: TempFolder;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());
beforeEach(() => (folder = tempFolder()));
afterEach(() => folder.remove());

describe('the prompt of nancy start', () => {
	it('forgets at Ctrl-C all lines of a pasted text that was not sent', async () => {
		const typed = terminal(process.execPath, [nancy.program, 'start', 'typed'], {
			cwd: folder.path,
			env: {
				PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
				HOME: folder.path,
				XDG_DATA_HOME: nancy.dataFolder,
				XDG_CONFIG_HOME: folder.file('config'),
			},
		});
		try {
			await typed.waitForText(/typed>$/m);
			typed.type('\u001b[200~The first line\rThe second\u001b[201~');
			await typed.waitForText(/The second$/m);
			typed.type('\u0003');
			await typed.waitForText(/typed>$/m);
			typed.type('/history\r');
			// With the first line before it, this would be a task.
			await typed.waitForText(/no tasks/);
		} finally {
			await typed.close();
		}
	});
});
