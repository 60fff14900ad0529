/** How a CLI's events are read, so that the events of all CLIs look alike. Data of each driver. */
export interface EventWords {
	/** The common name of a tool, by the CLI's own. A tool that is not here keeps its own name. */
	readonly tools: Readonly<Record<string, string>>;
	/** The CLI's own tools that work on one file, run nothing, and have the file's path as their subject. */
	readonly files: readonly string[];
	/**
	 * The CLI's own tools that bring nothing from outside. What comes back is from files of this machine, from a command, from the user or
	 * from an agent. Any other tool counts as one that brings what others wrote, such as one of the web, of a server or of a later version.
	 */
	readonly inside: readonly string[];
	/**
	 * Fields of a payload that hold what a tool was given or a person wrote, by their path. The first one with something in it counts.
	 */
	readonly input: readonly string[];
	/** The same for what came out: a tool's result, an error, or the agent's words. */
	readonly output: readonly string[];
	/** Whether every call that ran reports its end. If so, a call without one when the step is over was not run. */
	readonly reportsEveryEnd: boolean;
}
