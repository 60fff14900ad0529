import {
	methods,
	type ClientConnection,
	type SessionConfigOption,
	type SessionModeState,
	type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { Setting, Settings } from './conversation.ts';

/** What an agent says at the beginning of a session. */
export interface Offered {
	readonly modes?: SessionModeState | null;
	readonly configOptions?: readonly SessionConfigOption[] | null;
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

	/** Another session has begun. */
	begin(offered: Offered): void {
		this.all = settingsOf(offered);
	}

	/** The agent tells of a change. */
	take(update: SessionUpdate): void {
		if (update.sessionUpdate === 'config_option_update') this.become(update.configOptions.map(optionOf));
		if (update.sessionUpdate === 'current_mode_update') this.becomeMode(update.currentModeId);
	}

	/** @throws Error with the agent's words if it does not take that */
	async set(id: string, value: string): Promise<void> {
		const by = this.all.find(each => each.id === id)?.by;
		const sessionId = this.session();
		if (by === 'mode') {
			await this.agent.request(methods.agent.session.setMode, { sessionId, modeId: value });
			return this.becomeMode(value, id);
		}
		const chosen = by === 'boolean' ? ({ type: 'boolean', value: value === ON } as const) : { value };
		const { configOptions } = await this.agent.request(methods.agent.session.setConfigOption, {
			sessionId,
			configId: id,
			...chosen,
		});
		this.become(configOptions.map(optionOf), id);
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
		for (const { id, value, values } of now) {
			const name = values.find(each => each.value === value)?.name ?? value;
			if (id === asked || before.get(id) !== value) this.note(`${id}: ${name}`);
		}
	}
}

const ON = 'on';
const SWITCH = [ON, 'off'].map(value => ({ value, name: value }));

function settingsOf({ modes, configOptions }: Offered): AcpSetting[] {
	if (configOptions && configOptions.length > 0) return configOptions.map(optionOf);
	if (!modes) return [];
	const values = modes.availableModes.map(({ id, name }) => ({ value: id, name }));
	return [{ id: 'mode', value: modes.currentModeId, values, by: 'mode', isMode: true }];
}

function optionOf(option: SessionConfigOption): AcpSetting {
	const { id } = option;
	const isMode = option.category === 'mode';
	if (option.type === 'boolean')
		return { id, value: option.currentValue ? ON : 'off', values: SWITCH, by: 'boolean', isMode };
	const values = option.options.flatMap(each => ('options' in each ? each.options : [each]));
	return { id, value: option.currentValue, values, by: 'select', isMode };
}
