import { phrase, type Phrase } from '../base/phrase.ts';
import type { Question } from '../protocol/question.ts';

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
