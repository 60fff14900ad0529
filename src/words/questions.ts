import { phrase, type Phrase } from '../base/phrase.ts';
import type { Question, Risk } from '../protocol/question.ts';

/** `Bash: rm -rf build`, in one line. */
export function askedWords({ kind, tool, title }: Pick<Question, 'kind' | 'tool' | 'title'>): string | Phrase {
	switch (kind) {
		case 'tool':
			return title === tool ? tool : `${tool}: ${title}`;
		case 'choice':
			return title;
		case 'plan':
			return phrase`Plan: ${title}`;
	}
}

/** Why a request deserves a closer look, in a few words. */
export function riskWords(risk: Risk): Phrase {
	switch (risk) {
		case 'outside':
			return phrase`names a place outside the workspace`;
		case 'deletes':
			return phrase`deletes much of the workspace, or folders outside`;
		case 'hidden':
			return phrase`names hidden files, or settings of agents`;
		case 'keys':
			return phrase`names a file that may hold a key`;
		case 'administrator':
			return phrase`runs as the administrator`;
		case 'download':
			return phrase`runs what it downloads`;
		case 'force-push':
			return phrase`overwrites or deletes what others have pushed`;
		case 'git-settings':
			return phrase`changes settings of git, which can name programs`;
		case 'publish':
			return phrase`publishes something`;
		case 'sandbox':
			return phrase`leaves the sandbox`;
		case 'unread':
			return phrase`cannot be judged by a program`;
	}
}
