import { TaskName } from '../../protocol/names.ts';

/** Turns typed text into a task name: `Fix the login!` becomes `fix-the-login`. */
export function taskNameFrom(title: string): TaskName | undefined {
	const slug = title
		.normalize('NFKD')
		// The accents, now apart from their letters.
		.replace(/\p{M}+/gu, '')
		.toLowerCase()
		.replaceAll('ß', 'ss')
		.replace(/[^a-z0-9_.-]+/g, '-')
		.replace(/\.{2,}/g, '.')
		.slice(0, 64)
		.replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
	const name = TaskName.safeParse(slug);
	return name.success ? name.data : undefined;
}
