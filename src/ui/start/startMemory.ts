import type { Memento } from 'vscode';
import * as z from 'zod/mini';
import { StartChoice } from './startChoice.ts';

/** Drafts of prompts that were not started. The oldest go first. */
const MOST_DRAFTS = 20;
const DRAFTS = 'promptDrafts';
const Drafts = z.record(z.string(), z.string());

/** How many starts of workers are kept. The oldest go first. */
const MOST_STARTS = 20;
const STARTS = 'starts';
const Started = z.object({ prompt: z.string(), choice: StartChoice, images: z.array(z.string()) });
const Starts = z.record(z.string(), Started);
/** What a worker was started with. */
export type Started = z.infer<typeof Started>;

const LAST = { task: 'lastTask', delegate: 'lastDelegate' } as const;

/** What the user has chosen and typed at earlier starts. */
export class StartMemory {
	/**
	 * @param everywhere shared by all windows
	 * @param here for this workspace
	 */
	constructor(
		private readonly everywhere: Pick<Memento, 'get' | 'update'>,
		private readonly here: Pick<Memento, 'get' | 'update'>,
	) {}

	/** How the last one was started; `undefined` before the first. */
	last(of: keyof typeof LAST): StartChoice | undefined {
		return StartChoice.safeParse(this.everywhere.get(LAST[of])).data;
	}

	/** A model is not remembered: the lasting choice of one is a setting. */
	async remember(of: keyof typeof LAST, choice: StartChoice): Promise<void> {
		await this.everywhere.update(LAST[of], { ...StartChoice.parse(choice), models: '' });
	}

	/** What was typed and not started, also before a reload. */
	draft(of: string): string {
		return this.drafts()[of] ?? '';
	}

	/** An empty text forgets the draft. */
	async keepDraft(of: string, text: string): Promise<void> {
		const { [of]: _before, ...others } = this.drafts();
		const kept = Object.entries(text.trim() === '' ? others : { ...others, [of]: text });
		await this.here.update(DRAFTS, Object.fromEntries(kept.slice(-MOST_DRAFTS)));
	}

	/** @param worker who was started: a later worker of the same name is another one */
	async keepStart(worker: string, started: Started): Promise<void> {
		const { [worker]: _before, ...others } = this.starts();
		const kept = Object.entries({ ...others, [worker]: started });
		await this.here.update(STARTS, Object.fromEntries(kept.slice(-MOST_STARTS)));
	}

	/** `undefined` for a worker that a command, or another window, has started. */
	startOf(worker: string): Started | undefined {
		return this.starts()[worker];
	}

	private starts(): z.infer<typeof Starts> {
		return Starts.safeParse(this.here.get(STARTS)).data ?? {};
	}

	private drafts(): z.infer<typeof Drafts> {
		return Drafts.safeParse(this.here.get(DRAFTS)).data ?? {};
	}
}
