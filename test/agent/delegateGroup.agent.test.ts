import { expect, it } from 'vitest';
import { isFinal } from '../../src/core/delegates/delegate.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { queueDelegate } from '../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { lookAtQueue } from '../../src/delegates/delegateQueue.ts';
import { ORCHESTRATOR, TaskName } from '../../src/protocol/names.ts';
import { claudeExecutable } from '../support/claudeHome.ts';
import { claudeLab } from '../support/claudeLab.ts';
import { eventually } from '../support/eventually.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { fakeNancy } from '../support/fakeNancy.ts';
import { tempFolder } from '../support/tempFolder.ts';

it('the real Claude Code and another agent work on one prompt as one group, and both results come', async () => {
	await using lab = await claudeLab();
	await using own = tempFolder();
	const folder = lab.workspace.path;
	const delegates = new Delegates(new Workspace(folder));
	const tickets = new Tickets(own.file('data'), delegates.workspace.folder);
	// Each of them finds its own words in it.
	const prompt = 'tool:Read wait:500 answer:other [[sh:echo hello]] [[text:Claude is done.]]';
	for (const agent of [claudeCode.id, fakeDriver.id]) {
		const permissions = agent === claudeCode.id ? 'bypassPermissions' : 'default';
		await queueDelegate(delegates, tickets, IN_TERMINAL, { prompt, agent, permissions, folder, group: 'compare' });
	}
	const env = { ...lab.env, IS_SANDBOX: '1', FAKE_CLAUDE_PROGRAM: claudeExecutable };
	await lookAtQueue(delegates, { tickets, nancy: fakeNancy(own), cap: 2, env });
	const ended = await eventually('both have ended', async () => {
		const { delegates: all } = await delegates.list();
		return all.every(({ state }) => isFinal(state)) && all;
	});
	const answers = await Promise.all(ended.map(({ files }) => files.readAnswer()));
	expect(ended.map(({ record, state }, index) => [record.agent, record.group, state, answers[index]])).toEqual([
		[claudeCode.id, 'compare', 'done', 'Claude is done.'],
		[fakeDriver.id, 'compare', 'done', 'other'],
	]);
	const human = { task: TaskName.parse('delegates'), worker: ORCHESTRATOR };
	expect((await delegates.workspace.mailbox(human).list()).messages).toHaveLength(2);
});
