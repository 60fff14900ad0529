import { l10n } from 'vscode';
import { askChoice, askText, ignoreBack } from '../kit/inputs.ts';
import { ask, warn } from '../kit/messages.ts';
import type { AgentChoice } from '../ports.ts';
import { modeOf, type Modes } from './permissions.ts';
import type { Preset, Presets } from './presets.ts';
import { agentsOf, canBeChosen, type StartChoice } from './startChoice.ts';
import { rowFrame, placeWords, type HubRow } from './startHub.ts';

export interface PresetUse {
	/** The title of the question. */
	title: string;
	presets: Presets;
	/** Changed to that of the preset that is chosen. */
	choice: StartChoice;
	agents: readonly AgentChoice[];
	modes: Modes;
}

/** The row of the hub for the choices that the user has saved by name. */
export function presetRow(use: PresetUse): HubRow {
	const current = use.presets.matching(use.choice);
	return {
		icon: 'bookmark',
		label: l10n.t('Preset'),
		description: current?.name ?? l10n.t('none'),
		act: () => askPreset(use),
	};
}

type Chosen = { preset: Preset } | { act: 'save' | 'rename' | 'delete' };

async function askPreset(use: PresetUse): Promise<void> {
	const { presets } = use;
	for (;;) {
		const saved = presets.list();
		const managed = [
			{ icon: 'edit', label: l10n.t('Rename a Preset…'), chosen: { act: 'rename' as const } },
			{ icon: 'trash', label: l10n.t('Delete a Preset…'), chosen: { act: 'delete' as const } },
		];
		const { chosen } = await askChoice<{ icon: string; label: string; chosen: Chosen }>(rowFrame(use.title), {
			items: [
				...saved.map(preset => ({ ...presetWords(preset, use), chosen: { preset } })),
				{ icon: 'save', label: l10n.t('Save as Preset…'), chosen: { act: 'save' } },
				...(saved.length > 0 ? managed : []),
			],
			active: undefined,
			placeholder: l10n.t('Which preset?'),
		});
		if ('preset' in chosen) {
			if (taken(chosen.preset, use)) return;
		} else if (chosen.act === 'save') {
			if (await save(use, saved)) return;
		} else await manage(use, saved, chosen.act).catch(ignoreBack);
	}
}

/** Whether the choice is the preset's from now on. If not, says why. */
function taken({ name, choice: preset }: Preset, { choice, agents }: PresetUse): boolean {
	if (!preset) {
		void warn(l10n.t('The preset “{0}” cannot be read. Delete it, and save it again.', name));
		return false;
	}
	const missing = preset.agents.filter(id => !agents.some(agent => agent.id === id && canBeChosen(agent)));
	if (missing.length > 0) {
		const names = missing.map(id => agents.find(agent => agent.id === id)?.displayName ?? id);
		void warn(l10n.t('The preset “{0}” needs {1}, which cannot be used here.', name, names.join(', ')));
		return false;
	}
	const others = Object.entries(choice.permissions).filter(([agent]) => !preset.agents.includes(agent));
	Object.assign(choice, { ...preset, permissions: { ...Object.fromEntries(others), ...preset.permissions } });
	return true;
}

/** Whether it is saved. The user may not want to replace the one of that name. */
async function save({ title, presets, choice }: PresetUse, saved: readonly Preset[]): Promise<boolean> {
	const name = await askName(title, '', []);
	if (saved.some(preset => preset.name === name)) {
		const detail = l10n.t('It becomes what is chosen now. This cannot be undone.');
		const button = l10n.t('Replace');
		if ((await ask(l10n.t('Replace the preset “{0}”?', name), detail, button)) !== button) return false;
	}
	await presets.save(name, choice);
	return true;
}

async function manage(use: PresetUse, saved: readonly Preset[], act: 'rename' | 'delete'): Promise<void> {
	const { preset } = await askChoice(rowFrame(use.title), {
		items: saved.map(each => ({ ...presetWords(each, use), preset: each })),
		active: undefined,
		placeholder: act === 'rename' ? l10n.t('Rename which preset?') : l10n.t('Delete which preset?'),
	});
	if (act === 'rename') {
		const others = saved.filter(each => each !== preset).map(({ name }) => name);
		await use.presets.rename(preset, await askName(use.title, preset.name, others));
		return;
	}
	const detail = l10n.t('What was started with it stays as it is. This cannot be undone.');
	const button = l10n.t('Delete');
	if ((await ask(l10n.t('Delete the preset “{0}”?', preset.name), detail, button)) === button)
		await use.presets.delete(preset);
}

async function askName(title: string, before: string, taken: readonly string[]): Promise<string> {
	const typed = await askText(rowFrame(title), {
		value: before,
		prompt: l10n.t('A name for the preset'),
		placeholder: l10n.t('reviewer'),
		validate: value => {
			const name = value.trim();
			if (name === '') return l10n.t('Give the preset a name.');
			return taken.includes(name) ? l10n.t('There is a preset “{0}” already.', name) : undefined;
		},
	});
	return typed.trim();
}

function presetWords({ name, choice }: Preset, use: PresetUse) {
	if (!choice) return { icon: 'warning', label: name || l10n.t('(no name)'), description: l10n.t('cannot be read') };
	const { models, place, permissions } = choice;
	const names = choice.agents.map(id => use.agents.find(agent => agent.id === id)?.displayName ?? id);
	const named = agentsOf(choice, use.agents)
		.filter(({ id }) => permissions[id] !== undefined)
		.map(agent => ({ wanted: permissions[agent.id], mode: modeOf(agent, choice, use.modes) }));
	const modes = new Set(named.map(({ mode }) => mode?.label));
	const isChanged = named.some(({ wanted, mode }) => mode?.id !== wanted);
	return {
		icon: 'bookmark',
		label: name,
		description: [names.join(', '), models, ...modes, placeWords(place).label].filter(Boolean).join(' · '),
		...(isChanged && { detail: l10n.t('Its own permissions cannot be chosen here. These count instead.') }),
	};
}
