import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SessionId } from '../../src/protocol/names.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { submit } from '../support/submit.ts';

const bypass = ['--permission-mode', 'bypassPermissions'];

/** A worker in a terminal whose tool runs until it is killed. */
async function inTool(lab: DeployedLab, prompt: string) {
	const session = SessionId.parse(randomUUID());
	const address = await startedTask(lab, session);
	const claude = await lab.interactive(['--session-id', session, ...bypass]);
	await submit(claude, prompt);
	await eventually('the tool runs', () => existsSync(lab.workspace.file('started')));
	return { session, address, claude };
}

const read = (lab: DeployedLab) => lab.model.requests.filter(request => request.hasTools).map(request => request.text);

// No window and no command looks: the hooks of the resumed session are all there is.
describe('an agent that is killed', () => {
	it('reads, once it is resumed, what it was handed the moment it was killed', async () => {
		await using lab = await deployedLab();
		// The model never answers the request that the message would be in.
		const letGo = lab.model.hold(request => request.text.includes('Handed over late.'));
		const { session, address, claude } = await inTool(lab, '[[sh:touch started; sleep 1]] [[text:Unreached]]');
		const id = await lab.send(address, 'Handed over late. [[text:Read late]]');
		const receipt = lab.nancy.mailbox(address).deliveredFile(id).replace(/md$/, 'receipt.json');
		await eventually('the receipt', () => existsSync(receipt), { everyMs: 1 });
		process.kill(-claude.pid, 'SIGKILL');
		await claude.ended;
		letGo();
		const before = read(lab).length;
		await lab.headless('[[text:Going on]]', ['--resume', session, ...bypass]);
		expect(read(lab).slice(before).join('\n')).toContain('Handed over late.');
	});
});
