import { expect, it } from 'vitest';
import { newQuestion } from '../../../../src/core/questions/newQuestion.ts';
import { DriverId } from '../../../../src/protocol/names.ts';
import { BASH } from '../../../support/seedQuestion.ts';

it('questions that a program asks in one moment stand in the order in which it asked them', () => {
	const ids = Array.from({ length: 100 }, () => newQuestion(DriverId.parse('claude-code'), BASH).id);
	expect(ids.toSorted()).toEqual(ids);
});
