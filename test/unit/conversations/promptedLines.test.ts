import { expect, it } from 'vitest';
import { signal } from '../../../src/process/signal.ts';
import { bundledChild } from '../../support/bundledChild.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';

it('a line that a program puts there answers no question, and comes after it', async () => {
	await using folder = tempFolder();
	const shown = terminal(process.execPath, [bundledChild('askingLines')], {
		cwd: folder.path,
		env: { TERM: 'xterm-256color' },
	});
	await shown.waitForText(/Your answer:$/);
	signal(shown.pid, 'SIGUSR2');
	await shown.waitForText(/^> Woken\.\nYour answer:$/);
	expect(shown.screen()).not.toContain('line:');
	shown.type('y\r');
	await shown.waitForText(/Your answer: y\nanswer: y\nline: Woken\.\n>$/);
	shown.type('more\r');
	await shown.waitForText(/line: more\n>$/);
	await shown.close();
});
