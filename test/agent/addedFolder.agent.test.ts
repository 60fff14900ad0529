import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { SessionId } from '../../src/protocol/names.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deployedLab, startedTask } from '../support/deployedLab.ts';
import { deskOf } from '../support/desk.ts';
import { submit } from '../support/submit.ts';
import { tempFolder } from '../support/tempFolder.ts';

it('a file in a folder that Claude Code was given has the risk outside, and is allowed in the terminal', async () => {
	await using lab = await deployedLab();
	await using other = tempFolder();
	const session = SessionId.parse(randomUUID());
	await startedTask(lab, session);
	// Of a folder that is not trusted yet, the CLI asks its person first.
	const file = join(lab.home, '.claude.json');
	const known = z
		.looseObject({ projects: z.record(z.string(), z.unknown()) })
		.parse(JSON.parse(readFileSync(file, 'utf8')));
	known.projects[other.path] = known.projects[lab.workspace.path];
	writeFileSync(file, JSON.stringify(known));
	const claude = await lab.interactive(['--session-id', session, '--add-dir', other.path]);
	const desk = deskOf(lab.nancy);
	await submit(claude, `[[write:${other.file('given.txt')}|x]] [[text:Written]]`);
	const [given] = await desk.asked();
	expect(given).toMatchObject({ tool: 'Write', files: [other.file('given.txt')], risk: ['outside'] });
	await answerQuestion(claude, /Do you want to create/, '1');
	expect(await desk.outcome(given)).toMatchObject({ state: 'yes-elsewhere' });
	expect(existsSync(other.file('given.txt'))).toBe(true);
});
