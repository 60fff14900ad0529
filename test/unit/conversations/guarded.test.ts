import { existsSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { WAKE_WORDS } from '../../../src/drivers/bell.ts';
import { GuardedConversation } from '../../../src/conversations/guarded.ts';
import { acpAgents } from '../../../src/drivers/acp.ts';
import { DriverId } from '../../../src/protocol/names.ts';
import { eventually, HANG_MS } from '../../support/eventually.ts';
import { tempFolder } from '../../support/tempFolder.ts';

it('an idle agent is woken though a guard has failed, by the next one, and by none after the wait', async () => {
	await using folder = tempFolder();
	const [failed, ran] = [folder.file('failed'), folder.file('ran')];
	const guard = [
		'#!/bin/sh',
		`[ -e ${failed} ] || { : > ${failed}; exit 0; }`,
		`echo >> ${ran}`,
		`echo '${WAKE_WORDS}' >&2`,
		'exit 2',
	];
	writeFileSync(folder.file('guard'), `${guard.join('\n')}\n`, { mode: 0o755 });
	const driver = DriverId.parse('qwen-code');
	const acp = acpAgents[driver];
	if (!acp) throw new Error('no such agent');
	const place = { launcher: folder.file('guard'), workspaceFolder: folder.path, env: { PATH: '/usr/bin:/bin' } };
	const conversation = { session: 's1', pid: process.pid };
	const guarded = await GuardedConversation.begin(
		{ driver, acp, place, program: { cwd: folder.path } },
		conversation,
		false,
	);
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
	try {
		const woken: string[] = [];
		const waiting = guarded.wait(prompt => woken.push(prompt));
		await vi.waitFor(() => expect(existsSync(failed)).toBe(true), HANG_MS);
		await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), HANG_MS);
		expect(woken).toEqual([]);
		await vi.advanceTimersByTimeAsync(30_000);
		await vi.waitFor(() => expect(woken).toEqual([WAKE_WORDS]), HANG_MS);
		waiting?.dispose();
		expect(vi.getTimerCount()).toBe(0);
	} finally {
		vi.useRealTimers();
	}
	await eventually('it ran', () => existsSync(ran));
});
