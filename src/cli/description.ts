/** An option of a command, as `--help` shows it. Without `value` it is a switch. */
export interface Option {
	/** Placeholder of the value, for example `TEXT`. */
	value?: string;
	short?: string;
	help: string;
	/** The alternative to suggest if the value has a form that {@link help} does not explain. */
	expects?: string;
}

export interface Positional {
	name: string;
	/** How the help shows it, for example `<task>[/<worker>]`. */
	label: string;
	help: string;
	required: boolean;
	/** Takes all following arguments; the input then has an array. */
	many?: boolean;
}

/** What a command describes about itself; the help and the parser are made from it. */
export interface CommandDescription {
	name: string;
	aliases?: readonly string[];
	/** One line for the list of commands. */
	summary: string;
	/** Paragraphs for `nancy <command> --help`. */
	details: readonly string[];
	positionals: readonly Positional[];
	options: Readonly<Record<string, Option>>;
	/** What may follow `--`, when that is passed on; the input has it as `extra`. */
	extra?: string;
	examples: readonly (readonly [line: string, does: string])[];
}
