import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../../src/base/liveness.ts';
import { eventually } from '../../support/eventually.ts';
import { smallAgent, talkRoom } from '../../support/talkRoom.ts';

/** It goes on without its input, and hears nobody who asks it to end. So does its tool. */
const STAYS = `
	process.on('SIGTERM', () => {}).on('SIGHUP', () => {});
	setInterval(() => {}, 1e6);
	const tool = require('node:child_process').spawn('/bin/sh', ['-c', "trap '' TERM HUP; while :; do sleep 1; done"]);
	words(JSON.stringify([process.pid, tool.pid]) + '\\n');`;

const OPENS = `
	try { require('node:fs').openSync('/dev/tty', 'r+'); words('It has the terminal\\n'); }
	catch (error) { words('No terminal: ' + error.code + '\\n'); }`;

describe('the process of an agent', () => {
	let room: ReturnType<typeof talkRoom>;
	beforeEach(() => {
		room = talkRoom();
		room.set({ mine: { command: 'node' } });
	});
	afterEach(() => room.folder.remove());

	it('cannot open the terminal, in which it could type the answer to its own question', async () => {
		room.does(smallAgent(OPENS));
		const shown = await room.talk();
		await shown.waitForText(/No terminal: ENXIO\s+>$/);
		await shown.close();
	});

	it.each(['SIGKILL', 'SIGHUP'] as const)(
		'ends with its tool after a %s of Nancy’s program, though neither heeds a request',
		async how => {
			room.does(smallAgent(STAYS));
			const shown = await room.talk();
			const said = await shown.waitForText(/\[\d+,\d+\]/);
			const both = (/\[(\d+),(\d+)\]/.exec(said) ?? []).slice(1).map(pid => identify(Number(pid)));
			expect(both.map(liveness)).toEqual(['alive', 'alive']);
			process.kill(shown.pid, how);
			await eventually('both have ended', () => both.every(each => liveness(each) === 'dead'));
			await shown.ended;
		},
	);
});
