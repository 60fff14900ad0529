interface ProjectOfBranch {
	readonly project: string;
	/** Absent for the whole repository. */
	readonly branch?: string | undefined;
	/** When it was last worked on; UTC, ISO 8601. */
	readonly at: string;
	/** It is told to nobody. It is chosen by its name alone, so that no other is told in its place. */
	readonly isPaused?: boolean | undefined;
}

/**
 * The project that an agent works on, among those of its repository. It is the named one if that is among them. Else it is the latest of
 * the branch, or of the whole repository.
 */
export function chosenProject<P extends ProjectOfBranch>(
	projects: readonly P[],
	branch: string | undefined,
	named: string | undefined,
): P | undefined {
	const latestOf = (of: string | undefined) =>
		projects
			.filter(each => each.branch === of && each.isPaused !== true)
			.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
	return projects.find(({ project }) => project === named) ?? latestOf(branch) ?? latestOf(undefined);
}
