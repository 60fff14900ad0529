import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { Collector } from '../../src/core/traffic/collector.ts';
import { TrafficFollower } from '../../src/core/traffic/store.ts';
import { drivers } from '../../src/drivers/index.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { deployedLab, startedTask } from '../support/deployedLab.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { dataFolderIn } from '../support/runtime.ts';
import { submit } from '../support/submit.ts';

vi.setConfig({ maxConcurrency: 2 });

describe.concurrent('a question of the real Claude Code that was given the folder of answers', () => {
	it.each([
		['in two words', (folder: string) => ['--add-dir', folder]],
		['in one word', (folder: string) => [`--add-dir=${folder}`]],
		['after another', (folder: string) => ['--add-dir', '/usr', folder]],
	])('stays in its terminal, and the traffic says why: %s', async (_, flags) => {
		await using lab = await deployedLab();
		const session = SessionId.parse(randomUUID());
		await startedTask(lab, session);
		const claude = await lab.interactive(['--session-id', session, ...flags(dataFolderIn(lab.home))]);
		await submit(claude, '[[sh:touch made]] [[text:Over]]');
		await claude.waitForText(/Do you want to proceed/);
		const said = await eventually('the reason', async () => {
			const collector = new Collector(lab.nancy, drivers);
			await collector.collect();
			await collector.close();
			const records = await new TrafficFollower(lab.nancy.paths, session, 1024 * 1024).next();
			return records.flatMap(record => (record.type === 'trouble' ? [record.trouble.reason] : []))[0];
		});
		expect(said).toContain('answered in the terminal alone');
		expect(await deskOf(lab.nancy).open()).toEqual([]);
	});
});
