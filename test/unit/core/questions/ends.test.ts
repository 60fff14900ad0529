import { describe, expect, it } from 'vitest';
import { OwnFolder } from '../../../../src/core/files/ownFolder.ts';
import { Questions } from '../../../../src/core/questions/questions.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import type { OutcomeState } from '../../../../src/protocol/question.ts';
import { seedQuestion } from '../../../support/seedQuestion.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

/** How a question ends that somebody saw end like this. A person may have answered between that look and this end. */
async function endOf(seen: OutcomeState, isAnswered: boolean): Promise<OutcomeState | undefined> {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.prepare();
	const questions = new Questions(workspace.own);
	const { id, digest, askedAt } = await seedQuestion(workspace);
	if (isAnswered)
		await questions.answer({ version: 1, question: id, digest, effect: 'once', by: 'page', at: askedAt });
	expect(await questions.end(id, seen, 'an event')).toBe(true);
	return (await questions.readOutcome(id))?.state;
}

it.each(['yes-elsewhere', 'no-elsewhere'] as const)(
	'a question that is over with %s makes an answer of that moment late',
	async seen => {
		expect(await endOf(seen, false)).toBe(seen);
		expect(await endOf(seen, true)).toBe('late');
	},
);

it.each(['applied', 'silent', 'ended', 'refused'] as const)(
	'a question that is over as %s is so, answered or not',
	async seen => {
		expect([await endOf(seen, false), await endOf(seen, true)]).toEqual([seen, seen]);
	},
);

/** Records that are created only once a test lets them be: what falls between a look and a record of one process. */
class PausedFolder extends OwnFolder {
	letGo: () => void = () => undefined;
	private arrive: () => void = () => undefined;
	readonly arrived = new Promise<void>(resolve => (this.arrive = resolve));
	private readonly freed = new Promise<void>(resolve => (this.letGo = resolve));

	override async create(value: unknown, ...segments: readonly string[]): Promise<boolean> {
		this.arrive();
		await this.freed;
		return super.create(value, ...segments);
	}
}

describe('an answer and an end in one moment', () => {
	/** The slower of two has looked already, and writes once the quicker is done. */
	async function met(slower: 'answer' | 'end', state: OutcomeState) {
		await using folder = tempFolder();
		const workspace = new Workspace(folder.file('project'), folder.file('data'));
		await workspace.prepare();
		const { id, digest, askedAt } = await seedQuestion(workspace);
		const own = new PausedFolder(workspace.own.dataFolder, workspace.folder);
		const [slow, quick] = [new Questions(own), new Questions(workspace.own)];
		const acts = {
			answer: (desk: Questions) =>
				desk
					.answer({ version: 1, question: id, digest, effect: 'once', by: 'page', at: askedAt })
					.then(() => 'answered')
					.catch((error: unknown) => String(error)),
			end: (desk: Questions) => desk.end(id, state, 'an event'),
		};
		const slowly = acts[slower](slow);
		await own.arrived;
		const quickly = await acts[slower === 'answer' ? 'end' : 'answer'](quick);
		own.letGo();
		const [said] = [await slowly, quickly].filter(each => typeof each === 'string');
		return { said, outcome: (await quick.readOutcome(id))?.state, all: await quick.all() };
	}

	it.each(['yes-elsewhere', 'no-elsewhere'] as const)(
		'are told alike: the person hears that it is over with %s, and the answer counts as late',
		async state => {
			const { said, outcome, all } = await met('answer', state);
			expect(said).toContain('the question is over: an event');
			expect(outcome).toBe('late');
			expect(all).toMatchObject([{ answer: { effect: 'once' }, outcome: { state: 'late' } }]);
		},
	);

	it.each(['yes-elsewhere', 'no-elsewhere'] as const)(
		'are told alike where the end is noted last: %s makes the answer late',
		async state => {
			const { said, outcome, all } = await met('end', state);
			expect(said).toBe('answered');
			expect(outcome).toBe('late');
			expect(all).toMatchObject([{ outcome: { state: 'late' } }]);
		},
	);

	it('are told alike where the agent has ended: the person hears it', async () => {
		expect(await met('answer', 'ended')).toMatchObject({
			said: expect.stringContaining('the question is over') as string,
			outcome: 'ended',
		});
	});

	it('are one thing where the agent did as answered', async () => {
		expect(await met('answer', 'applied')).toMatchObject({ said: 'answered', outcome: 'applied' });
	});
});
