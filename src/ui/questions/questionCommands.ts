import { oneByOne } from '../../base/oneByOne.ts';
import { noTo } from '../../core/questions/reply.ts';
import type { Folders } from '../folders.ts';
import type { Operations } from '../ports.ts';
import { showAllowed } from './allowed.ts';
import { QuestionItem } from './questionItem.ts';
import type { QuestionPanel } from './questionPanel.ts';

interface Collaborators {
	folders: Pick<Folders, 'list'>;
	operations: Pick<Operations, 'answer' | 'answered'>;
	questions: Pick<QuestionPanel, 'show' | 'showNext'>;
}

type Args = readonly unknown[];

/** The commands for what agents ask. */
export function questionHandlers({ folders, operations, questions }: Collaborators) {
	return {
		'nancy.openQuestion': ([item]: Args) => (item instanceof QuestionItem ? questions.show(item) : undefined),
		'nancy.nextQuestion': () => questions.showNext(),
		'nancy.showAllowed': () => showAllowed({ folders, operations }),
		'nancy.denyQuestion': (args: Args) => deny(operations, chosen(args)),
	};
}

/** The row that a menu was opened on, or all selected rows if it is one of them. */
function chosen([item, selected]: Args): QuestionItem[] {
	const all = Array.isArray(selected) && selected.includes(item) ? selected : [item];
	return all.filter(each => each instanceof QuestionItem);
}

/** A No to each. An error of one does not keep the others from their answer. */
async function deny(operations: Pick<Operations, 'answer'>, items: readonly QuestionItem[]): Promise<void> {
	const { failures } = await oneByOne(items, ({ folder, asked: { question } }) =>
		operations.answer(folder, question.id, question.digest, { effect: noTo(question) }),
	);
	await Promise.all([...new Set(items.map(({ folder }) => folder))].map(folder => folder.refresh()));
	const [first] = failures;
	if (first) throw first.error;
}
