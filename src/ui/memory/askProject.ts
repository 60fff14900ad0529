import { basename, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { Category, LONGEST_ANCHOR, ProjectName } from '../../protocol/memoryNames.ts';
import type { Folders } from '../folders.ts';
import { askChoice, askLine, pickOne } from '../kit/inputs.ts';
import { pickFolder, pickItem } from '../pickers.ts';
import type { AgentChoice, Folder } from '../ports.ts';
import { defaultAgent } from '../settings.ts';
import { projectItems, ProjectItem, type Section } from './memoryItems.ts';
import type { OwnNote, Session } from './memoryPorts.ts';
import { sectionWords } from './memoryWords.ts';
import { projectNameFrom } from './notePlaces.ts';
import type { Remembered } from './remembered.ts';

/** Letters of a note. */
const LONGEST_NOTE = 400;

/** The project of a row, or the only one, or asks. */
export async function pickProject(
	remembered: Remembered,
	called: unknown,
	which: (item: ProjectItem) => boolean = () => true,
): Promise<ProjectItem> {
	if (called instanceof ProjectItem) return called;
	await remembered.refresh();
	const rows = projectItems(remembered.list())
		.filter(which)
		.map(item => ({
			icon: 'book',
			label: item.project.project,
			description: [item.project.branch, item.folder.name].filter(Boolean).join(' · '),
			value: item,
		}));
	const none = l10n.t('There is no such project here. “Nancy: Remember This Project” makes one.');
	return pickItem(rows, l10n.t('Which project?'), none);
}

/** @throws CancellationError */
export async function askName(
	folders: Pick<Folders, 'list'>,
	taken: readonly string[],
): Promise<{ folder: Folder; project: ProjectName }> {
	const folder = await pickFolder(folders);
	const name = await askLine(
		l10n.t('Remember This Project'),
		l10n.t(
			'Its name. After each task that you run in it, one small call of your agent makes notes, which spends quota. Enter turns it on.',
		),
		{
			value: projectNameFrom(basename(folder.path), taken),
			empty: l10n.t('Give it a name.'),
			refuse: typed =>
				ProjectName.safeParse(typed).success
					? undefined
					: l10n.t('Use small letters, digits and dashes, such as my-feature.'),
		},
	);
	if (name === undefined) throw new vscode.CancellationError();
	return { folder, project: ProjectName.parse(name.trim()) };
}

/** The task, its agent, and what that may do unasked. */
export async function askNext(
	project: string,
	agents: readonly AgentChoice[],
): Promise<Omit<Session, 'project'> | undefined> {
	const task = await askLine(
		l10n.t('Next Task of {0}', project),
		l10n.t('What is to be done? Its agent is told what earlier tasks have taught.'),
		{ value: '', empty: l10n.t('Say what is to be done.') },
	);
	if (task === undefined) return undefined;
	const able = agents.filter(
		({ found, permissionModes, isDelegateAlone }) =>
			found && permissionModes.length > 0 && isDelegateAlone !== true,
	);
	const agent = able.find(({ id }) => id === defaultAgent()) ?? able[0];
	if (!agent) throw new NancyError('no-agent', l10n.t('No agent is found that can run without a terminal.'));
	// A question would wait where nobody is asked.
	const modes = agent.permissionModes.filter(({ asks }) => asks !== true);
	const { mode } = await askChoice(
		{ title: l10n.t('Next Task of {0}', project), step: 1, totalSteps: 1 },
		{
			items: modes.map(each => ({ label: each.label, detail: each.detail, mode: each })),
			active: undefined,
			placeholder: l10n.t('What may {0} do unasked? Everything else is denied.', agent.displayName),
		},
	);
	return { agent: agent.id, permissions: mode.id, task: task.trim() };
}

/** The selected lines of a saved file in the folder. */
export function selectedLines(folder: Folder): OwnNote['lines'] | undefined {
	const editor = vscode.window.activeTextEditor;
	if (!editor || editor.selection.isEmpty || editor.document.uri.scheme !== 'file') return undefined;
	const { document, selection } = editor;
	const file = document.uri.fsPath;
	if (!isInside(folder.path, file)) return undefined;
	const { start, end } = selection;
	// A selection that ends at the beginning of a line contains nothing of that line.
	const to = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
	const path = relative(folder.path, file).replaceAll(sep, '/');
	// The question names the lines, so a person sees which ones count.
	return { path, from: start.line + 1, to: Math.min(to, start.line + LONGEST_ANCHOR) };
}

/** What a note of a person's says, and of which kind it is. */
export async function askNote(lines: OwnNote['lines']): Promise<OwnNote> {
	const where = `${lines.path}:${lines.from}-${lines.to}`;
	const text = await askLine(
		l10n.t('Add Note from Selection'),
		l10n.t('What should the next agent know about {0}? One sentence.', where),
		{ value: '', empty: l10n.t('Write the note.'), refuse: refuseLong },
	);
	if (text === undefined) throw new vscode.CancellationError();
	const details: Readonly<Record<Category, string>> = {
		failures: l10n.t('What goes wrong, and why'),
		decisions: l10n.t('What was chosen, and what was rejected'),
		architecture: l10n.t('How parts belong together'),
	};
	const rows = (['failures', 'decisions', 'architecture'] as const).map(category => ({
		label: sectionWords(category satisfies Section),
		detail: details[category],
		category,
	}));
	const chosen = await pickOne(l10n.t('What kind of note is it?'), rows);
	if (!chosen) throw new vscode.CancellationError();
	return { category: Category.parse(chosen.category), text: text.trim(), lines };
}

/** The words of a waiting note, as a person would have them. */
export async function askWords(text: string): Promise<string> {
	const words = await askLine(
		l10n.t('Edit the Note'),
		l10n.t('Enter takes it into the notes in your words. It is yours then, and no agent changes it.'),
		{ value: text, empty: l10n.t('Write the note.'), refuse: refuseLong },
	);
	if (words === undefined) throw new vscode.CancellationError();
	return words.trim();
}

function refuseLong(typed: string): string | undefined {
	return typed.length > LONGEST_NOTE ? l10n.t('At most {0} letters.', LONGEST_NOTE) : undefined;
}
