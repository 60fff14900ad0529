import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFiltering, NO_FILTER, type TrafficFilter } from './trafficFilter.ts';

type Row = vscode.QuickPickItem & { filter: TrafficFilter };

/** Narrows the filter by one more thing: a task, an event, or whatever is typed. */
export async function askFilter(
	current: TrafficFilter,
	events: readonly string[],
	tasks: readonly string[],
): Promise<TrafficFilter> {
	const pick = vscode.window.createQuickPick<Row>();
	pick.title = l10n.t('Filter Traffic');
	pick.placeholder = l10n.t('Choose a task or an event, or type a text');
	const heading = (label: string): Row => ({ label, kind: vscode.QuickPickItemKind.Separator, filter: current });
	const fixed: Row[] = [
		...(isFiltering(current) ? [{ label: `$(clear-all) ${l10n.t('Clear Filter')}`, filter: NO_FILTER }] : []),
		...(tasks.length > 0 ? [heading(l10n.t('Task'))] : []),
		...tasks.map(task => ({ label: `$(checklist) ${task}`, filter: { ...current, task } })),
		...(events.length > 0 ? [heading(l10n.t('Event'))] : []),
		...events.map(event => ({ label: `$(pulse) ${event}`, filter: { ...current, event } })),
	];
	const rows = (typed: string): Row[] =>
		typed === ''
			? fixed
			: [
					{
						label: `$(search) ${l10n.t('Text “{0}”', typed)}`,
						alwaysShow: true,
						filter: { ...current, text: typed },
					},
					...fixed,
				];
	pick.items = fixed;
	pick.onDidChangeValue(typed => {
		pick.items = rows(typed.trim());
	});
	try {
		return await new Promise<TrafficFilter>((resolve, reject) => {
			pick.onDidAccept(() => {
				const [row] = pick.selectedItems;
				if (row) resolve(row.filter);
			});
			pick.onDidHide(() => reject(new vscode.CancellationError()));
			pick.show();
		});
	} finally {
		pick.dispose();
	}
}
