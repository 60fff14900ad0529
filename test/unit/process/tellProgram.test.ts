import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { tellProgram } from '../../../src/process/tellProgram.ts';
import { QuestionId } from '../../../src/protocol/question.ts';
import { eventually } from '../../support/eventually.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const ID = QuestionId.parse('20261124T101112123Z-0a1b2c3d');

it('the user’s program is told of a question once, by whichever window, and gets its id alone', async () => {
	await using folder = tempFolder();
	const program = folder.file('tell');
	writeFileSync(program, `#!/bin/sh\necho "$#:$*" >> '${folder.file('told')}'\n: > '${folder.file('done')}'\n`);
	chmodSync(program, 0o755);
	const window = () => new Workspace(folder.file('project'), folder.file('data'));

	await Promise.all([1, 2, 3].map(() => tellProgram(program, window(), ID)));
	await eventually('it has run', () => existsSync(folder.file('done')));

	expect(readFileSync(folder.file('told'), 'utf8')).toBe(`1:${ID}\n`);
});

it('a program that cannot be started, or has no absolute path, is named', async () => {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.file('project'), folder.file('data'));

	await expect(tellProgram('ntfy', workspace, ID)).rejects.toThrow(
		'must be the absolute path of a program, not ntfy',
	);
	await expect(tellProgram(folder.file('none'), workspace, ID)).rejects.toThrow('none could not be started');
});
