interface ProjectOfBranch {
	readonly project: string;
	/** Absent for the whole repository. */
	readonly branch?: string | undefined;
	/** When it was last worked on; UTC, ISO 8601. */
	readonly at: string;
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
		projects.filter(each => each.branch === of).toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
	return projects.find(({ project }) => project === named) ?? latestOf(branch) ?? latestOf(undefined);
}
