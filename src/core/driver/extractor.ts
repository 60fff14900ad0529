import type { Version } from '../../base/version.ts';
import type { HeadlessLaunch, HeadlessReader } from './headless.ts';
import type { LaunchPlace } from './launchPlace.ts';

/** What an extraction of notes asks. */
export interface ExtractionTexts {
	/** The system prompt. */
	readonly rules: string;
	/** In a block of its own, before the order: a CLI looks for mentions and commands in the last one. */
	readonly digest: string;
	readonly order: string;
	/** JSON schema of the answer. */
	readonly schema: Readonly<Record<string, unknown>>;
}

export interface ExtractionRequest extends ExtractionTexts {
	/** By default the CLI's cheap one. */
	readonly model: string | undefined;
	readonly version: Version;
	/** For files that the arguments name. Nothing else is in it, and the CLI works elsewhere. Absolute. */
	readonly folder: string;
	readonly env: LaunchPlace['env'];
}

/**
 * How a CLI answers one question without tools, hooks, session and workspace, by the user's own login. It runs in an empty folder. Part of
 * the driver contract.
 */
export interface Extractor {
	launch(request: ExtractionRequest): HeadlessLaunch;
	/** The text of its result is the answer, as JSON. */
	reader(): HeadlessReader;
}
