import { methods, type ClientConnection, type SessionUpdate } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { agentWords } from './agentWords.ts';
import type { Setting, Settings } from './conversation.ts';
import { wordOf } from './typedSettings.ts';

/** What an agent says at the beginning of a session. */
export interface Offered {
	readonly modes?: unknown;
	readonly configOptions?: unknown;
}

/** How the agent takes another value. */
interface AcpSetting extends Setting {
	readonly by: 'mode' | 'select' | 'boolean';
	/** The agent tells of it as its mode, too. */
	readonly isMode: boolean;
}

/** The modes and the options of a session over the Agent Client Protocol. Options take the place of modes, as the protocol wants it. */
export class AcpSettings implements Settings {
	private all: readonly AcpSetting[];

	/** @param session the agent's name for it @param note tells of another value */
	constructor(
		private readonly agent: ClientConnection['agent'],
		private readonly session: () => string,
		offered: Offered,
		private readonly note: (text: string) => void,
	) {
		this.all = settingsOf(offered);
	}

	get list(): readonly Setting[] {
		return this.all;
	}

	/** Another session has begun. It may have other values. */
	begin(offered: Offered): void {
		this.become(settingsOf(offered));
	}

	/**
	 * An earlier conversation goes on. The agent may have kept its mode, which may be a wider one than the launch asks for.
	 * @param wanted the id of that mode
	 */
	async goOnIn(wanted: string | undefined): Promise<void> {
		const before = this.mode;
		if (!before && wanted !== undefined) this.note(`nobody knows whether the agent goes on in its mode ${wanted}`);
		if (!before || before.value === wanted) return;
		if (wanted === undefined) return this.note(goesOn(before));
		const problem = await this.set(before.id, wanted).catch(agentWords);
		if (this.mode?.value !== wanted)
			this.note(`${goesOn(this.mode ?? before)}, not ${wanted}${problem ? `: ${problem}` : ''}`);
	}

	private get mode(): AcpSetting | undefined {
		return this.all.find(({ isMode }) => isMode);
	}

	/** The agent tells of a change. */
	take(update: SessionUpdate): void {
		if (update.sessionUpdate === 'config_option_update') this.become(optionsOf(update.configOptions));
		if (update.sessionUpdate === 'current_mode_update') this.becomeMode(update.currentModeId);
	}

	/** @throws Error with the agent's words if it does not take that, and if another session has begun meanwhile */
	async set(id: string, value: string): Promise<void> {
		const by = this.all.find(each => each.id === id)?.by;
		const sessionId = this.session();
		if (by === 'mode') {
			await this.agent.request(methods.agent.session.setMode, { sessionId, modeId: value });
			this.expect(sessionId);
			return this.becomeMode(value, id);
		}
		const chosen = by === 'boolean' ? ({ type: 'boolean', value: value === ON } as const) : { value };
		const answer = await this.agent.request(methods.agent.session.setConfigOption, {
			sessionId,
			configId: id,
			...chosen,
		});
		this.expect(sessionId);
		const { data } = Answer.safeParse(answer);
		if (!data) throw new Error('the agent’s answer cannot be read');
		this.become(optionsOf(data.configOptions), id);
	}

	/** What an agent says of an earlier session is not true of the present one. */
	private expect(session: string): void {
		if (session !== this.session()) throw new Error('another conversation has begun');
	}

	private becomeMode(value: string, asked?: string): void {
		this.become(
			this.all.map(each => (each.isMode ? { ...each, value } : each)),
			asked,
		);
	}

	/** Says what has another value now, and what somebody has asked for. */
	private become(now: readonly AcpSetting[], asked?: string): void {
		const before = new Map(this.all.map(({ id, value }) => [id, value]));
		this.all = now;
		for (const { id, value, values } of now)
			if (id === asked || before.get(id) !== value) this.note(`${id}: ${wordOf(value, values)}`);
	}
}

function goesOn({ id, value, values }: Setting): string {
	return `the conversation goes on with ${id}: ${wordOf(value, values)}`;
}

const ON = 'on';
const SWITCH = [ON, 'off'].map(value => ({ value, name: value }));

/** The protocol's library hands answers over as they come. */
const Modes = z.object({
	currentModeId: z.string(),
	availableModes: z.array(z.object({ id: z.string(), name: z.string() })),
});
const Value = z.object({ value: z.string(), name: z.string() });
const about = { id: z.string(), category: z.optional(z.nullable(z.string())) };
const Option = z.discriminatedUnion('type', [
	z.object({ ...about, type: z.literal('boolean'), currentValue: z.boolean() }),
	z.object({
		...about,
		type: z.literal('select'),
		currentValue: z.string(),
		options: z.array(z.union([Value, z.object({ options: z.array(Value) })])),
	}),
]);
const Answer = z.object({ configOptions: z.array(z.unknown()) });

function settingsOf({ modes, configOptions }: Offered): readonly AcpSetting[] {
	const options = optionsOf(configOptions);
	if (options.length > 0) return options;
	const { data } = Modes.safeParse(modes);
	if (!data) return [];
	const values = data.availableModes.map(({ id, name }) => ({ value: id, name }));
	return [{ id: 'mode', value: data.currentModeId, values, by: 'mode', isMode: true }];
}

/** Those that Nancy knows how to set. */
function optionsOf(offered: unknown): AcpSetting[] {
	if (!Array.isArray(offered)) return [];
	return offered.flatMap((each: unknown) => {
		const { data } = Option.safeParse(each);
		return data ? [optionOf(data)] : [];
	});
}

function optionOf(option: z.infer<typeof Option>): AcpSetting {
	const { id } = option;
	const isMode = option.category === 'mode';
	if (option.type === 'boolean')
		return { id, value: option.currentValue ? ON : 'off', values: SWITCH, by: 'boolean', isMode };
	const values = option.options.flatMap(each => ('options' in each ? each.options : [each]));
	return { id, value: option.currentValue, values, by: 'select', isMode };
}
