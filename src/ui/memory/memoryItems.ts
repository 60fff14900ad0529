import type { Category } from '../../protocol/memoryNames.ts';
import { ProblemItem } from '../kit/problemItem.ts';
import type { Folder } from '../ports.ts';
import type { KnownProject } from './memoryPorts.ts';
import type { FolderMemory } from './remembered.ts';

type Known = KnownProject['known'];
export type KnownNote = Known['notes'][number];
export type WaitingNote = Known['pending'][number];
export type KnownTask = Known['tasks'][number];

/** The rows below a project. */
export const SECTIONS = ['review', 'plan', 'failures', 'decisions', 'architecture', 'tasks'] as const;
export type Section = (typeof SECTIONS)[number];

export class ProjectItem {
	constructor(
		readonly folder: Folder,
		readonly project: KnownProject,
	) {}

	get key(): string {
		return `${this.folder.path}//:project/${this.project.project}`;
	}
}

export class SectionItem {
	constructor(
		readonly of: ProjectItem,
		readonly section: Section,
	) {}
}

/** An update that waits for a person. */
export class ProposalItem {
	constructor(
		readonly of: ProjectItem,
		readonly waiting: WaitingNote,
	) {}
}

export class NoteItem {
	constructor(
		readonly of: ProjectItem,
		readonly note: KnownNote,
	) {}
}

export class MemoryTaskItem {
	constructor(
		readonly of: ProjectItem,
		readonly task: KnownTask,
	) {}
}

export type MemoryElement = ProjectItem | SectionItem | ProposalItem | NoteItem | MemoryTaskItem | ProblemItem;

export function projectItems(known: readonly FolderMemory[]): ProjectItem[] {
	return known.flatMap(({ folder, projects }) => projects.map(project => new ProjectItem(folder, project)));
}

/** Everything that waits for a person, of one project once. */
export function proposalItems(known: readonly FolderMemory[]): ProposalItem[] {
	const seen = new Set<string>();
	return projectItems(known).flatMap(of => {
		if (seen.has(of.project.project)) return [];
		seen.add(of.project.project);
		return of.project.known.pending.map(waiting => new ProposalItem(of, waiting));
	});
}

export function childrenOf(parent: MemoryElement | undefined, known: readonly FolderMemory[]): MemoryElement[] {
	if (parent === undefined) {
		const problems = known.flatMap(each => [
			...each.problems,
			...each.projects.flatMap(({ known: { problems: own } }) => own),
		]);
		const once = new Map(problems.map(each => [each.file, each]));
		return [...projectItems(known), ...[...once.values()].map(each => new ProblemItem(each))];
	}
	if (parent instanceof ProjectItem)
		return SECTIONS.filter(each => hasRows(parent, each)).map(each => new SectionItem(parent, each));
	return parent instanceof SectionItem ? rowsOf(parent) : [];
}

function hasRows({ project: { known } }: ProjectItem, section: Section): boolean {
	if (section === 'review') return known.pending.length > 0;
	if (section === 'plan') return known.plan.trim() !== '';
	if (section === 'tasks') return known.tasks.length > 0;
	return known.notes.some(({ category }) => category === section);
}

function rowsOf({ of, section }: SectionItem): MemoryElement[] {
	const { known } = of.project;
	if (section === 'review') return known.pending.map(each => new ProposalItem(of, each));
	if (section === 'tasks') return known.tasks.toReversed().map(each => new MemoryTaskItem(of, each));
	return section === 'plan' ? [] : notesOf(known, section).map(each => new NoteItem(of, each));
}

/** Pinned ones first. */
export function notesOf(known: Known, category: Category): KnownNote[] {
	const own = known.notes.filter(each => each.category === category);
	return [...own.filter(({ pinned }) => pinned), ...own.filter(({ pinned }) => !pinned)];
}
