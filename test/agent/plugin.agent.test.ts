import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { choosePlugin } from '../../src/core/sessions/pluginChoice.ts';
import { parseSpoolFileName } from '../../src/core/traffic/spoolName.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { copiesOf } from '../conformance/evidence.ts';
import { deployedLab, startedTask } from '../support/deployedLab.ts';
import { programs } from '../support/programs.ts';
import { dataFolderIn, installedRuntime } from '../support/runtime.ts';

// In a terminal, and with other CLIs: the row “plugin” of the conformance suite.

const bypass = ['--permission-mode', 'bypassPermissions'];

it('the plugin is valid without a warning, serves what a person chose, and is silent beside Set Up', async () => {
	await using lab = await deployedLab({ isDeployed: false });
	await installedRuntime(lab.home);
	const marketplace = join(dataFolderIn(lab.home), 'plugin');
	Object.assign(lab.env, { XDG_DATA_HOME: dirname(dataFolderIn(lab.home)) });
	const { plugin } = await programs();
	for (const args of [
		['validate', '--strict', plugin],
		['validate', '--strict', join(plugin, 'nancy')],
		['marketplace', 'add', marketplace],
		['install', 'nancy@nancy'],
	]) {
		const { code, stdout, stderr } = await lab.run(['plugin', ...args]);
		expect(code, `${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
	}
	expect((await lab.run(['plugin', 'list'])).stdout).toContain(join(marketplace, 'nancy'));

	const session = SessionId.parse(randomUUID());
	const address = await startedTask(lab, session);
	const reported = () => readdirSync(lab.nancy.paths.spool).map(name => parseSpoolFileName(name)?.event ?? '');
	const turn = (how: string, mark: string) => {
		for (const name of readdirSync(lab.nancy.paths.spool)) rmSync(join(lab.nancy.paths.spool, name));
		return lab.headless(`[[sh:echo ${mark} | rev]] [[sh:true]] [[text:Done]]`, [how, session, ...bypass]);
	};
	await turn('--session-id', 'eno-kram');
	expect(reported()).toEqual([]);

	await choosePlugin(lab.nancy.own);
	// Between the first tool's end and the second's start.
	const answer = lab.model.hold(({ text }) => text.includes('mark-two'));
	const steered = turn('--resume', 'owt-kram');
	await lab.model.waitForRequest(({ text }) => text.includes('mark-two'));
	const halt = await lab.send(address, 'Not that. [[text:Halted]]', { effect: 'halt', priority: 'urgent' });
	const feedback = await lab.send(address, 'One more thing. [[text:Fed back]]', { kind: 'feedback' });
	answer();

	expect((await steered).stdout.trim()).toBe('Fed back');
	expect((await lab.delivered(address, halt)).receipt).toMatchObject({ event: 'PreToolUse', session });
	expect((await lab.delivered(address, feedback)).receipt).toMatchObject({ event: 'Stop', session });
	const read = lab.model.requests.findLast(({ hasTools }) => hasTools)!;
	for (const words of ['Not that.', 'One more thing.']) expect([words, copiesOf(read, words)]).toEqual([words, 1]);
	expect(reported().filter(event => event === 'SessionStart')).toHaveLength(1);
	// The CLI gives this hook one second, which a busy machine may take.
	expect(reported().filter(event => event === 'SessionEnd').length).toBeLessThanOrEqual(1);

	await lab.deploy();
	await turn('--resume', 'eerht-kram');
	const beside = reported();
	expect(beside.filter(event => event === 'Stop')).toHaveLength(1);
	expect(beside.filter(event => event === 'PreToolUse')).toHaveLength(2);
	expect(beside.filter(event => event === 'PostToolBatch')).toHaveLength(2);
});
