/** What a CLI itself adds to its settings when it starts. Nothing of it says what runs or what is denied. */
export interface Completions {
	/**
	 * A key of the JSON in this file: the version of the settings. It is taken for the CLI's where each other key has an object, so that no
	 * version changes their meaning.
	 */
	readonly version: { file: string; key: string } | undefined;
	/** The address that comes first in these files of JSON, as `$schema`. */
	readonly schema: { files: readonly string[]; address: string } | undefined;
	/** Where it has packages of its own installed in the background. What is there can run. */
	readonly packages: readonly string[];
}

export const NO_COMPLETIONS: Completions = { version: undefined, schema: undefined, packages: [] };
