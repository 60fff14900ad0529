import { lstat } from 'node:fs/promises';
import { hasCode, NancyError } from '../../base/errors.ts';
import { look, stampOf } from '../../base/look.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import {
	Answer,
	type AnsweredBy,
	Handed,
	Outcome,
	Question,
	QuestionId,
	type OutcomeState,
	type Told,
} from '../../protocol/question.ts';
import type { Rule } from '../../protocol/deskRules.ts';
import { idTime } from '../mailbox/messageId.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import { AnswerSeal } from './answerSeal.ts';
import { digestOf } from './digest.ts';
import { Holders } from './holders.ts';
import { whyNoAnswer } from './reply.ts';

/** In the folder of the workspace's records, with a folder in it for each of {@link KINDS}. */
export const DESK = 'desk';

/** A question goes last: without it nobody looks for the others. */
const KINDS = ['outcomes', 'handed', 'handing', 'answers', 'told', 'questions'] as const;

/** Beside {@link DESK}: a watcher of the desk need not hear of each sign of life. */
const MACHINES = 'machines';

/** How long questions are kept, in milliseconds: 90 days. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** So many are kept, and those of the last day: a person's rules, which hold for eight hours at most, count their answers. */
const MOST_KEPT = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** At one time: somebody waits meanwhile. */
const MOST_REMOVED = 200;

/** Files that are open at one time. */
const MOST_READ = 64;

/** Others than the owner may read, write or run. No desk makes an answer with such a mode. */
const OPEN_TO_OTHERS = 0o077;

/** A question with what became of it so far. */
export interface Asked {
	readonly question: Question;
	readonly answer: Answer | undefined;
	readonly outcome: Outcome | undefined;
}

/**
 * The questions of a workspace's agents, and a person's answers, in the user's data folder. Each record is created once and never changed,
 * so the records are the audit log as well. A record is created by a link, which one process wins. So of several answers the first one
 * counts.
 */
export class Questions {
	private readonly seal: AnswerSeal;
	readonly holders: Holders;

	constructor(private readonly own: OwnFolder) {
		this.seal = new AnswerSeal(own, [DESK, 'key.json']);
		this.holders = new Holders(own.path(MACHINES));
	}

	/** The folder that holds the records, for a watcher. */
	get folder(): string {
		return this.own.path(DESK);
	}

	/** Makes the folders, so that they can be watched, and the key of answers. Removes what was kept long enough. */
	async prepare(nowMs = Date.now()): Promise<void> {
		await this.seal.prepare();
		for (const kind of KINDS) await this.own.makeFolder(DESK, kind);
		await this.own.makeFolder(MACHINES);
		await this.holders.machines.sweep();
		const names = this.names('questions');
		const [oldest, yesterday] = [idTime(nowMs - KEPT_MS), idTime(nowMs - DAY_MS)];
		const tooMany = names.slice(0, -MOST_KEPT).filter(name => name < yesterday);
		const old = names.filter(name => name < oldest);
		for (const name of [...old, ...(tooMany.length > old.length ? this.over(tooMany) : [])].slice(0, MOST_REMOVED))
			for (const kind of KINDS) await this.own.remove(DESK, kind, name);
	}

	/**
	 * Asks: from now on every desk shows the question.
	 * @throws NancyError `bad-file` if its answer is there already: no person has seen the question
	 */
	async ask(question: Question): Promise<void> {
		const answer = this.own.path(DESK, 'answers', `${question.id}.json`);
		if (await look(answer))
			throw new NancyError('bad-file', phrase`${answer} is older than its question, so it is nobody's answer`);
		await this.holders.machines.renew();
		await this.own.create(question, DESK, 'questions', `${question.id}.json`);
	}

	/** Every question that is not over, oldest first. A question that nobody could have asked like this is left out. */
	async open(): Promise<Asked[]> {
		const over = new Set(this.names('outcomes'));
		const names = this.names('questions').filter(name => !over.has(name));
		return this.allOf(names);
	}

	/** The questions of a delegate that have no answer yet, oldest first. */
	async ofDelegate(id: DelegateId): Promise<Question[]> {
		const open = await this.open();
		return open.flatMap(({ question, answer }) => (question.delegate === id && !answer ? [question] : []));
	}

	/** Every kept question, oldest first. */
	all(): Promise<Asked[]> {
		return this.allOf(this.names('questions'));
	}

	/** One of them, or `undefined` if it is not there, or nobody could have asked it like this. */
	find(id: QuestionId): Promise<Asked | undefined> {
		return this.read(`${id}.json`);
	}

	/** @throws NancyError `no-question` */
	async get(id: QuestionId): Promise<Asked> {
		const found = await this.find(id);
		if (found) return found;
		throw new NancyError('no-question', phrase`there is no question ${id}`);
	}

	/**
	 * Looks whether a question takes this answer now.
	 * @throws NancyError `wrong-state` if it is answered or over, `bad-usage` if it is no answer to this question
	 */
	async refuseWrong(answer: Omit<Answer, 'seal'>): Promise<void> {
		const { question, answer: earlier, outcome } = await this.get(answer.question);
		if (outcome) throw isOver(outcome);
		if (earlier) throw answeredAlready(earlier);
		if (!(await this.holders.isAlive(question.holder)))
			throw new NancyError(
				'wrong-state',
				phrase`nobody waits for this answer any more. If the agent still asks, answer in its terminal.`,
			);
		const wrong = whyNoAnswer(question, answer);
		if (wrong !== undefined) throw new NancyError('bad-usage', wrong);
	}

	/** Answers a question for a person. @throws NancyError as {@link refuseWrong} does */
	async answer(answer: Omit<Answer, 'seal'>): Promise<Answer> {
		await this.refuseWrong(answer);
		const file = `${answer.question}.json`;
		const sealed = { ...answer, seal: await this.seal.of(answer) };
		if (await this.own.create(sealed, DESK, 'answers', file)) {
			// It may have ended since the look above. The end that comes after this one reads the answer.
			const over = await this.readOutcome(answer.question);
			if (over && over.state !== 'applied') throw isOver(over);
			return sealed;
		}
		const first = await this.readAnswer(answer.question);
		throw first
			? answeredAlready(first)
			: new NancyError('wrong-state', phrase`somebody else has answered just now`);
	}

	/**
	 * The answer to a question, if there is one.
	 * @throws NancyError `bad-file` for one that somebody else could have written
	 */
	async readAnswer(id: QuestionId): Promise<Answer | undefined> {
		const segments = [DESK, 'answers', `${id}.json`];
		const found = await this.own.read(Answer, ...segments);
		if (!found) return undefined;
		const file = this.own.path(...segments);
		const { mode } = await lstat(file);
		if (process.getuid && (mode & OPEN_TO_OTHERS) !== 0)
			throw new NancyError('bad-file', phrase`others may open ${file}, so it is nobody's answer`);
		if (!(await this.seal.isOf(found)))
			throw new NancyError('bad-file', phrase`the seal of ${file} is wrong, so it is nobody's answer`);
		return found;
	}

	/** How often a rule has answered. It answers only what was asked after it was made. */
	async usesOf({ id, madeAt }: Pick<Rule, 'id' | 'madeAt'>): Promise<number> {
		const first = idTime(Date.parse(madeAt));
		const ids = this.names('answers')
			.filter(name => name >= first)
			.map(name => QuestionId.parse(name.slice(0, -'.json'.length)));
		const answers = await inParts(ids, each => readable(this.readAnswer(each)));
		return answers.filter(answer => answer?.rule === id).length;
	}

	/**
	 * How a question is over, if it is. What was decided elsewhere makes an answer late that a person gave in the same moment, whichever of the two
	 * records came first.
	 */
	async readOutcome(id: QuestionId): Promise<Outcome | undefined> {
		const outcome = await this.own.read(Outcome, DESK, 'outcomes', `${id}.json`);
		const isElsewhere = outcome?.state === 'yes-elsewhere' || outcome?.state === 'no-elsewhere';
		const isLate = isElsewhere && (await readable(this.readAnswer(id))) !== undefined;
		return isLate ? { ...outcome, state: 'late' } : outcome;
	}

	/**
	 * To be called before the CLI gets the answer, which it must not get if this throws: on a full disk nobody could note it.
	 * @returns what notes that the CLI has it. It does so at once: no signal falls between the print and the note
	 */
	handing(id: QuestionId): () => void {
		const handed: Handed = { version: 1, question: id, at: new Date().toISOString() };
		const before = [DESK, 'handing', `${id}.json`];
		this.own.writeSync(handed, ...before);
		return () => this.own.moveSync(before, [DESK, 'handed', `${id}.json`]);
	}

	/** Whether the CLI has the answer. Ask after the look at the holder: it ends as soon as this is so. */
	async isHanded(id: QuestionId): Promise<boolean> {
		return (await this.own.read(Handed, DESK, 'handed', `${id}.json`)) !== undefined;
	}

	/** Notes that the user's program is told of the question. `false`: another window has told it. */
	async tell(id: QuestionId): Promise<boolean> {
		const told: Told = { version: 1, question: id, at: new Date().toISOString() };
		await this.own.makeFolder(DESK, 'told');
		return this.own.create(told, DESK, 'told', `${id}.json`);
	}

	/** Differs once a record came or went. Two changes in one tick of the disk's clock give the same. */
	async stamp(): Promise<string> {
		const found = await Promise.all(KINDS.map(kind => look(this.own.path(DESK, kind))));
		return found.map(each => stampOf(each)).join(' ');
	}

	/** Ends a question. @returns `false`: it was over already */
	async end(id: QuestionId, state: OutcomeState, evidence: string): Promise<boolean> {
		const outcome: Outcome = { version: 1, question: id, state, evidence, at: new Date().toISOString() };
		return this.own.create(outcome, DESK, 'outcomes', `${id}.json`);
	}

	private names(kind: 'questions' | 'answers' | 'outcomes'): string[] {
		return this.own
			.namesSync(DESK, kind)
			.filter(name => QuestionId.safeParse(name.replace(/\.json$/, '')).success)
			.toSorted();
	}

	private over(names: readonly string[]): string[] {
		const over = new Set(this.names('outcomes'));
		return names.filter(name => over.has(name));
	}

	private async allOf(names: readonly string[]): Promise<Asked[]> {
		const found = await inParts(names, name => this.read(name));
		return found.filter(each => each !== undefined);
	}

	private async read(name: string): Promise<Asked | undefined> {
		const question = await readable(this.own.read(Question, DESK, 'questions', name));
		if (!question || question.digest !== digestOf(question) || `${question.id}.json` !== name) return undefined;
		const [answer, outcome] = await Promise.all([
			readable(this.readAnswer(question.id)),
			readable(this.readOutcome(question.id)),
		]);
		return { question, answer, outcome };
	}
}

async function inParts<T, R>(all: readonly T[], read: (each: T) => Promise<R>): Promise<R[]> {
	const found: R[] = [];
	for (let at = 0; at < all.length; at += MOST_READ)
		found.push(...(await Promise.all(all.slice(at, at + MOST_READ).map(read))));
	return found;
}

/** One bad record hides no other. The holder of a question reads its answer by itself, and refuses a bad one. */
async function readable<T>(record: Promise<T | undefined>): Promise<T | undefined> {
	try {
		return await record;
	} catch (error) {
		if (hasCode(error, 'bad-file')) return undefined;
		throw error;
	}
}

const places: Readonly<Record<AnsweredBy, Phrase>> = {
	vscode: phrase`in a window`,
	command: phrase`with nancy answer`,
	page: phrase`on a page`,
	rule: phrase`by a rule of yours`,
};

function isOver({ evidence }: Outcome): NancyError {
	return new NancyError('wrong-state', phrase`the question is over: ${evidence}`);
}

function answeredAlready({ by, at }: Answer): NancyError {
	const where = places[by];
	return new NancyError('wrong-state', phrase`this question was answered ${where} at ${at}`);
}
