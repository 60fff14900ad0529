import { l10n, QuickPickItemKind } from 'vscode';
import { pickTyped, type Choice } from '../kit/inputs.ts';
import type { TaskName } from '../../protocol/names.ts';
import { isFiltering, NO_FILTER, type TrafficFilter } from './trafficFilter.ts';

type Row = Choice & { filter: TrafficFilter };

/** Narrows the filter by a task, an event, or a typed text. */
export async function askFilter(
	current: TrafficFilter,
	events: readonly string[],
	tasks: readonly { name: TaskName; title: string }[],
): Promise<TrafficFilter> {
	const heading = (label: string): Row => ({ label, kind: QuickPickItemKind.Separator, filter: current });
	const fixed: Row[] = [
		...(isFiltering(current) ? [{ icon: 'clear-all', label: l10n.t('Clear Filter'), filter: NO_FILTER }] : []),
		...(tasks.length > 0 ? [heading(l10n.t('Task'))] : []),
		...tasks.map(task => ({
			icon: 'checklist',
			label: task.title,
			description: task.name,
			filter: { ...current, task },
		})),
		...(events.length > 0 ? [heading(l10n.t('Event'))] : []),
		...events.map(event => ({ icon: 'pulse', label: event, filter: { ...current, event } })),
	];
	const search = (typed: string): Row => ({
		icon: 'search',
		label: l10n.t('Text “{0}”', typed),
		alwaysShow: true,
		filter: { ...current, text: typed },
	});
	const question = l10n.t('Choose a task or an event, or type a text');
	const { filter } = await pickTyped(l10n.t('Filter Traffic'), question, typed =>
		typed === '' ? fixed : [search(typed), ...fixed],
	);
	return filter;
}
