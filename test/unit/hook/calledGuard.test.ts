import { existsSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { callGuard } from '../../../src/core/driver/calledGuard.ts';
import { DriverId } from '../../../src/protocol/names.ts';
import { tempFolder } from '../../support/tempFolder.ts';

it('an event is kept before the guard’s caller goes on, although the guard closes its output earlier', async () => {
	await using folder = tempFolder();
	const launcher = folder.file('guard');
	writeFileSync(launcher, '#!/bin/sh\nexec >&-\nsleep 0.3\ncat >"$4/kept"\n', { mode: 0o755 });
	const call = { driver: DriverId.parse('acp-mine'), event: 'tool-start', slot: 'report', session: 's1' } as const;
	const place = { launcher, workspaceFolder: folder.path, env: process.env };
	expect(await callGuard(place, { ...call, agent: process.pid }, {}).printed).toBe('');
	expect(existsSync(folder.file('kept'))).toBe(true);
});
