import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { claudeHome } from '../support/claudeHome.ts';
import { claudeLab } from '../support/claudeLab.ts';
import { agentLab } from '../support/agentLab.ts';
import { programs } from '../support/programs.ts';
import { dataFolderIn, installedRuntime } from '../support/runtime.ts';

// That it reports and delivers, and each event once beside Set Up, is the row “plugin” of the conformance suite.

it('is a valid plugin in a valid marketplace, without a warning', async () => {
	await using lab = await agentLab(claudeHome);
	const { plugin } = await programs();
	for (const folder of [plugin, join(plugin, 'nancy')]) {
		const { code, stdout, stderr } = await lab.run(['plugin', 'validate', '--strict', folder]);
		expect({ code, said: stdout + stderr }).toEqual({
			code: 0,
			said: expect.stringContaining('Validation passed'),
		});
	}
});

it('does nothing in a folder that Nancy does not know, and stays where it was installed from', async () => {
	await using lab = await claudeLab();
	await installedRuntime(lab.home);
	const marketplace = join(dataFolderIn(lab.home), 'plugin');
	Object.assign(lab.env, { XDG_DATA_HOME: dirname(dataFolderIn(lab.home)) });
	await lab.run(['plugin', 'marketplace', 'add', marketplace]);
	await lab.run(['plugin', 'install', 'nancy@nancy']);
	expect((await lab.run(['plugin', 'list'])).stdout).toContain(join(marketplace, 'nancy'));

	const spool = lab.workspace.file('.nancy/spool');
	mkdirSync(spool, { recursive: true });
	await lab.headless('[[sh:true]] [[text:Done]]');
	expect(readdirSync(spool)).toEqual([]);
	// Its programs are gone, which it says to the person alone.
	rmSync(join(dataFolderIn(lab.home), 'runtime'), { recursive: true });
	const { code, stdout } = await lab.headless('[[sh:true]] [[text:Done]]');
	expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'Done' });
	expect(lab.model.requests.some(({ text }) => text.includes('not installed'))).toBe(false);
});
