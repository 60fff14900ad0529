import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leftThere, NOTHING } from '../support/leftThere.ts';
import { long } from '../support/long.ts';
import { manyHosts } from '../support/manyHosts.ts';
import { watchedOr } from '../support/rounds.ts';
import { slurmLab } from '../support/slurmLab.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

it(
	'many delegates over four machines, which refuse connections in a storm, and three nodes of a cluster all end, run once each and leave nothing',
	long,
	async () => {
		const many = watchedOr(12);
		await using slurm = await slurmLab({ nodes: 3 });
		await using machines = await manyHosts(nancy, 4, slurm.env);
		const made = await machines.delegates(many, 5);
		await machines.call(['delegates', '--wait', '--timeout', '3000']);
		const ended = await machines.list();
		expect(ended.map(({ status, error }) => ({ status, error }))).toEqual(
			Array.from({ length: many }, () => ({ status: 'done', error: undefined })),
		);
		for (const [id, host] of made) {
			expect(readFileSync(join(host.home, 'ran', id), 'utf8')).toBe('ran\n');
			expect(await leftThere(host, id)).toEqual(NOTHING);
		}
		expect(slurm.call('squeue', '--noheader')).toBe('');
		// Whoever led has left its place.
		expect(readdirSync(machines.socketFolder).filter(name => name.startsWith('looks-'))).toEqual([]);
	},
);
