import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentIds, pinnedAgent } from '../support/pinnedAgent.ts';

describe.each(agentIds)('the pinned %s', id => {
	const { version, manifest } = pinnedAgent(id);
	const lock = readFileSync(join(manifest, 'package-lock.json'), 'utf8');

	it('is one exact version', () => {
		expect(version).toMatch(/^\d+\.\d+\.\d+$/);
	});

	it('has a lock file with the integrity of every package and no address of a registry', () => {
		const { packages } = JSON.parse(lock) as { packages: Record<string, { integrity?: string }> };
		const unpinned = Object.entries(packages).filter(([folder, { integrity }]) => folder !== '' && !integrity);
		expect(unpinned).toEqual([]);
		expect(lock).not.toMatch(/https?:|"resolved"/);
	});
});
