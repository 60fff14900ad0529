import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_TERMINAL } from '../../../src/core/asker/asker.ts';
import type { AskedRequest } from '../../../src/core/driver/asking.ts';
import { Questions } from '../../../src/core/questions/questions.ts';
import { bindSession } from '../../../src/core/sessions/bindings.ts';
import { Workspace, type WorkerAddress } from '../../../src/core/workspace/workspace.ts';
import { answerQuestion } from '../../../src/operations/answerQuestion.ts';
import { perform } from '../../../src/operations/operation.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { DriverId, FIRST_WORKER, TaskName } from '../../../src/protocol/names.ts';
import type { Question, Reply } from '../../../src/protocol/question.ts';
import { contextOf } from '../../support/operationContext.ts';
import { BASH, seedQuestion } from '../../support/seedQuestion.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const address: WorkerAddress = { task: TaskName.parse('build'), worker: FIRST_WORKER };
const WHY = { effect: 'no', words: 'Use pnpm.' } as const;

let folder: TempFolder;
let workspace: Workspace;
let desk: Questions;
beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path, folder.file('data'));
	desk = new Questions(workspace.own);
	await workspace.createTask(taskRecord(address.task, DriverId.parse('codex')));
});
afterEach(() => folder.remove());

const MUTE: Partial<AskedRequest> = { choices: [{ effect: 'once' }, { effect: 'no', isMute: true }] };
const asked = () => seedQuestion(workspace, MUTE);
const answer = ({ id, digest }: Pick<Question, 'id' | 'digest'>, reply: Reply) =>
	perform(answerQuestion, IN_TERMINAL, { question: id, digest, reply }, contextOf(folder, workspace));
const queued = async () => (await workspace.mailbox(address).list(['queued'])).messages;

describe('words with a No for which the agent’s CLI has no place', () => {
	it('are a message to the agent, and no part of the answer', async () => {
		await bindSession(workspace, BASH.session, { address, watched: true });
		const done = await answer(await asked(), WHY);
		expect(done.answer).toMatchObject({ effect: 'no' });
		expect(done.answer).not.toHaveProperty('words');
		expect(await queued()).toMatchObject([
			{ id: done.message?.id, content: { kind: 'directive', text: 'Use pnpm.' } },
		]);
	});

	it('begin another turn where the No ends this one, but not of a delegate, which ends with it', async () => {
		await bindSession(workspace, BASH.session, { address, watched: true });
		const end = { choices: [{ effect: 'end' as const, isMute: true as const }] };
		await answer(await seedQuestion(workspace, end), { ...WHY, effect: 'end' });
		expect(await queued()).toMatchObject([{ content: { kind: 'feedback', text: 'Use pnpm.' } }]);
		const delegate = DelegateId.parse('20261129t101538501z-0a1b2c3d');
		const own = await seedQuestion(workspace, end, delegate);
		await expect(answer(own, { ...WHY, effect: 'end' })).rejects.toThrow('takes no words');
		expect(await queued()).toHaveLength(1);
	});

	it('are refused where they are blanks', async () => {
		await bindSession(workspace, BASH.session, { address, watched: true });
		await expect(answer(await asked(), { ...WHY, words: ' ' })).rejects.toThrow('takes no words');
		expect(await queued()).toEqual([]);
	});

	it('are not sent where the answer comes too late', async () => {
		await bindSession(workspace, BASH.session, { address, watched: true });
		const question = await asked();
		await answer(question, { effect: 'once' });
		await expect(answer(question, WHY)).rejects.toMatchObject({ code: 'wrong-state' });
		await expect(answer({ ...question, digest: 'another' }, WHY)).rejects.toThrow();
		expect(await queued()).toEqual([]);
	});

	it('are refused where a subagent asks, which has no mailbox', async () => {
		await bindSession(workspace, BASH.session, { address, watched: true });
		const question = await seedQuestion(workspace, { ...MUTE, subagent: 'helper' });
		await expect(answer(question, WHY)).rejects.toThrow('takes no words');
		expect(await queued()).toEqual([]);
	});

	it('are refused where nobody knows the agent’s mailbox', async () => {
		const question = await asked();
		await expect(answer(question, WHY)).rejects.toThrow('takes no words');
		expect((await desk.find(question.id))?.answer).toBeUndefined();
	});
});
