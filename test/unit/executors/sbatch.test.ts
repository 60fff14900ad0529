import { expect, it } from 'vitest';
import { limitsTime, SbatchArguments } from '../../../src/protocol/sbatch.ts';

it.each([
	[[]],
	[['-p', 'main', '--mem=500M']],
	[['-pmain', '-c2', '-t', '1-0', '--gres=gpu:a100:1', '--exclusive', '--mail-type=END']],
	[['--comment=--wrap=x', '-A', 'group']],
])('sbatch may be given %j', args => {
	expect(SbatchArguments.safeParse(args).success).toBe(true);
});

it.each([
	// Nancy's own, also by a beginning of its name.
	[['--export=ALL']],
	[['--exp=ALL']],
	[['--wrap=id']],
	[['--wr', 'id']],
	[['--array=1-9']],
	[['--job-name=x']],
	[['-J', 'x']],
	[['-W']],
	[['--wait']],
	[['--requeue']],
	[['-o', 'file']],
	[['--output=file']],
	[['-D/tmp']],
	[['-a1-9']],
	// Several in one word.
	[['-QW']],
	// A script, or another job.
	[['script.sh']],
	[['--partition', 'main']],
	[['-p', 'main', ':', '-p', 'other']],
	[['-p']],
	[['-p', '--wrap=id']],
	[['--']],
	[['-']],
	[['']],
	[['--comment=a\nb']],
	[['--Wrap=id']],
])('sbatch may not be given %j', args => {
	expect(SbatchArguments.safeParse(args).success).toBe(false);
});

it.each([
	[['-t5'], true],
	[['-t', '5'], true],
	[['--time=5'], true],
	[['--tim=5'], true],
	[['--time-min=5'], false],
	[['--tmp=5'], false],
])('of %j it is known whether it sets a time limit', (args, is) => {
	expect(limitsTime(args)).toBe(is);
});
