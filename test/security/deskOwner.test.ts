import { chownSync, lchownSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configFolder } from '../../src/base/folders.ts';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { DeskRules } from '../../src/core/questions/deskRules.ts';
import { DESK, Questions } from '../../src/core/questions/questions.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { changeRules } from '../../src/operations/changeRules.ts';
import { perform } from '../../src/operations/operation.ts';
import type { Question } from '../../src/protocol/question.ts';
import { DeviceFile } from '../../src/server/deviceFile.ts';
import { contextOf } from '../support/operationContext.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { withoutRoot } from '../support/skipped.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

/** Nobody's on the machines of tests. */
const OTHER = 1234;
const ROOT = 0;

describe.skipIf(withoutRoot)(`what the desk keeps in the data folder${withoutRoot}`, () => {
	let folder: TempFolder;
	let workspace: Workspace;
	let desk: Questions;
	let question: Question;

	beforeEach(async () => {
		folder = tempFolder();
		workspace = new Workspace(folder.file('project'), folder.file('data'));
		await workspace.prepare();
		desk = new Questions(workspace.own);
		question = await seedQuestion(workspace);
	});
	afterEach(() => folder.remove());

	const answer = () =>
		desk.answer({
			version: 1,
			question: question.id,
			digest: question.digest,
			effect: 'once',
			by: 'page',
			at: question.askedAt,
		});
	const record = (kind: string) => join(desk.folder, kind, `${question.id}.json`);

	/** What happens while somebody else owns it, and how it is once it is the user's again. */
	async function whileForeign<T>(path: string, act: () => Promise<T>): Promise<T | string> {
		lchownSync(path, OTHER, OTHER);
		try {
			return await act().catch((error: unknown) => String((error as { code?: unknown }).code));
		} finally {
			chownSync(path, ROOT, ROOT);
		}
	}

	it.each([
		['the data folder', () => workspace.own.dataFolder],
		['the folder of the workspace’s records', () => workspace.own.folder],
		['the folder of the desk', () => desk.folder],
		['the folder of answers', () => join(desk.folder, 'answers')],
		['the key of answers', () => workspace.own.path(DESK, 'key.json')],
	])('is answered by nobody while somebody else owns %s', async (_, path) => {
		expect(await whileForeign(path(), answer)).toMatch(/^(?:bad-file|no-question)$/);
		expect(await desk.readAnswer(question.id)).toBeUndefined();
		expect(await answer()).toMatchObject({ effect: 'once' });
	});

	it('shows no question in a folder of somebody else’s, and none that somebody else owns', async () => {
		expect(await whileForeign(join(desk.folder, 'questions'), () => desk.open())).toBe('bad-file');
		expect(await whileForeign(record('questions'), () => desk.open())).toEqual([]);
		expect(await whileForeign(record('questions'), answer)).toBe('no-question');
		expect(await desk.open()).toHaveLength(1);
	});

	it('takes no answer, and no outcome, that somebody else owns', async () => {
		await answer();
		expect(await whileForeign(record('answers'), () => desk.readAnswer(question.id))).toBe('bad-file');
		expect(await whileForeign(record('answers'), () => desk.open())).toMatchObject([{ answer: undefined }]);
		await desk.end(question.id, 'applied', 'an event');
		expect(await whileForeign(record('outcomes'), () => desk.readOutcome(question.id))).toBe('bad-file');
		expect(await desk.readOutcome(question.id)).toMatchObject({ state: 'applied' });
	});

	it('hands no answer over where somebody else owns the folder in which that is noted', async () => {
		await answer();
		const hand = () => Promise.resolve().then(() => desk.handing(question.id)());
		mkdirSync(dirname(record('handing')), { recursive: true });
		expect(await whileForeign(dirname(record('handing')), hand)).toBe('bad-file');
		expect(await desk.isHanded(question.id)).toBe(false);
	});

	it('lets no device in whose list somebody else owns', async () => {
		const file = new DeviceFile(workspace.own.dataFolder);
		await file.change(devices => devices);
		for (const path of [file.folder, join(file.folder, 'devices.json')]) {
			expect(await whileForeign(path, () => file.read())).toBe('bad-file');
			expect(await whileForeign(path, () => file.change(devices => devices))).toBe('bad-file');
		}
		expect(await file.read()).toEqual([]);
	});

	it('heeds no rule whose seal somebody else owns', async () => {
		const context = contextOf(folder, workspace);
		const add = { is: 'add', effect: 'once', isForAll: false, isForSession: false, hours: 1, uses: 20 } as const;
		const asked = await seedQuestion(workspace, { cwd: '/w' });
		await perform(changeRules, IN_TERMINAL, { ...add, question: asked.id, digest: asked.digest }, context);
		const { dataFolder } = workspace.own;
		const rules = new DeskRules(configFolder(context.env), dataFolder);
		for (const path of [dataFolder, join(dataFolder, 'desk-rules-seal.json')])
			expect(await whileForeign(path, () => rules.read())).toBe('bad-file');
		expect((await rules.read()).rules).toHaveLength(1);
	});
});
