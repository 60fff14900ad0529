import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DriverId, SessionId } from '../../../src/protocol/names.ts';
import { eventually } from '../../support/eventually.ts';
import { hookedWorker } from '../../support/hookedWorker.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { long } from '../../support/long.ts';

const session = SessionId.parse('5e551011-0000-4000-8000-000000000001');
const driver = DriverId.parse('claude-code');

it('what nobody collected is collected when the next session starts, and none of it is dropped', long, async () => {
	await using folder = tempFolder('nancy spool ');
	const worker = { agent: driver, session, agentVersion: '2.1.329' };
	const { workspace, launcher } = await hookedWorker(folder.path, worker);
	const { spool } = workspace.paths;
	const total = 10_100;
	for (let i = 0; i < total; i++) {
		const event = { session_id: session, hook_event_name: 'PreToolUse', tool_name: `T${i}`, tool_input: {} };
		writeFileSync(join(spool, `${driver}~PreToolUse~${i}-1.json`), JSON.stringify(event));
	}
	const started = spawnSync('sh', [launcher, driver, 'SessionStart', 'program', folder.path], {
		input: JSON.stringify({ session_id: session, hook_event_name: 'SessionStart', source: 'startup' }),
		encoding: 'utf8',
		// Claude Code sets CLAUDECODE for its hooks. So the command that collects counts as an agent's.
		env: {
			PATH: process.env['PATH'],
			CLAUDECODE: '1',
			NANCY_HOOK_SESSION: session,
			NANCY_HOOK_PROJECT: folder.path,
		},
	});
	expect(started.status).toBe(0);
	// The last files leave the spool before their events are stored.
	const stored = () =>
		readdirSync(workspace.paths.traffic).flatMap(
			name => readFileSync(join(workspace.paths.traffic, name), 'utf8').match(/"tool":"T\d+"/g) ?? [],
		);
	await eventually('every event in the traffic', () => new Set(stored()).size === total);
	expect(readdirSync(spool).filter(name => name.endsWith('.json'))).toEqual([]);
});
