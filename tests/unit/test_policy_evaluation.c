// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is over what, by how much; what XFS can enforce of it; what its accounting differs by. */
#include "tests/unit/test.h"

#include "analyzer/policy/enforce.h"
#include "analyzer/policy/evaluation.h"
#include "analyzer/policy/usage.h"
#include "base/cleanup.h"

#include <errno.h>
#include <string.h>

#define TODAY 20787
#define TB    1000000000000ULL

static void add(struct cube *cube, uint32_t uid, uint32_t gid, uint32_t projid,
	enum inode_kind kind, unsigned size_class, uint64_t inodes, uint64_t bytes)
{
	const struct cube_key key = {uid, gid, projid, (uint8_t)kind, (uint8_t)size_class};
	const struct cube_sums sums = {inodes, bytes, bytes, inodes, bytes};

	assert_int_equal(cube_add(cube, &key, &sums), 0);
}

/*
 * User 1000: 90 tiny and 10 larger files, 5 directories, all in group 100 and project 7, of which
 * 60 are two years old. User 1001: 2 000 tiny files. Root: a million.
 */
struct world {
	struct cube cube;
	struct ages ages;
	struct policy_material material;
};

static char *name_of(enum owner_kind kind, uint32_t id, void *context)
{
	(void)context;
	return strdup(kind == OWNER_USER && id == 1001 ? "bob" : "other");
}

static void world_init(struct world *world)
{
	const struct ages_key old = {.uid = 1000, .kind = KIND_REGULAR, .size_class = 10};
	const struct ages_sums sums = {60, 36000, 36000, 36000};

	cube_init(&world->cube);
	ages_init(&world->ages, TODAY);
	add(&world->cube, 1000, 2100, 7, KIND_REGULAR, 10, 90, 54000);
	add(&world->cube, 1000, 2100, 7, KIND_REGULAR, 21, 10, 10 << 20);
	add(&world->cube, 1000, 2100, 7, KIND_DIRECTORY, 6, 5, 0);
	add(&world->cube, 1001, 2101, 0, KIND_REGULAR, 10, 2000, 1200000);
	add(&world->cube, 0, 0, 0, KIND_REGULAR, 10, 1000000, 600000000);
	assert_int_equal(ages_add(&world->ages, &old, TODAY - 730, &sums), 0);
	world->material = (struct policy_material){
		.cube = &world->cube,
		.ages = &world->ages,
		.tiny_bytes = 4096,
		.block_bytes = 4096,
		.owner_name = name_of,
	};
}

static void world_fini(struct world *world)
{
	cube_fini(&world->cube);
	ages_fini(&world->ages);
}

static void evaluate(const struct world *world, const char *text, struct policy *policy,
	struct policy_evaluation *evaluation)
{
	struct err err = {0};

	if (policy_parse(policy, text, strlen(text), "p", &err))
		fail_msg("%s", err.message);
	assert_int_equal(policy_evaluate(policy, &world->material, evaluation), 0);
}

static const struct policy_verdict *verdict_of(
	const struct policy_evaluation *evaluation, enum owner_kind kind, uint32_t id)
{
	for (size_t i = 0; i < evaluation->count; i++) {
		const struct policy_owner *owner = &evaluation->verdicts[i].owner;

		if (owner->kind == kind && owner->id == id)
			return &evaluation->verdicts[i];
	}
	return NULL;
}

static struct policy_finding finding_of(const struct policy_evaluation *evaluation,
	enum owner_kind kind, uint32_t id, enum policy_rule rule)
{
	const struct policy_verdict *verdict = verdict_of(evaluation, kind, id);
	struct policy_finding finding;

	assert_non_null(verdict);
	assert_true(policy_finding_of(verdict, rule, &finding));
	return finding;
}

/* One rule on user 1000: value, state, limit named, excess. */
static void check_rule(const char *limits, enum policy_rule rule, uint64_t value,
	enum policy_state state, uint64_t limit, uint64_t excess)
{
	struct policy_evaluation evaluation;
	struct policy_finding finding;
	struct policy policy;
	struct world world;

	world_init(&world);
	evaluate(&world, limits, &policy, &evaluation);
	finding = finding_of(&evaluation, OWNER_USER, 1000, rule);
	assert_int_equal(finding.value, value);
	assert_int_equal(finding.state, state);
	assert_int_equal(finding.limit, limit);
	assert_int_equal(policy_excess(&finding), excess);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	world_fini(&world);
}

static void every_rule_has_its_value(void **state)
{
	(void)state;
	check_rule("[users]\ninodes.hard=100", RULE_INODES, 105, STATE_HARD, 100, 5);
	check_rule("[users]\nfiles.hard=100", RULE_FILES, 100, STATE_OK, 100, 0);
	check_rule("[users]\ntiny_files.soft=50\ntiny_files.hard=99", RULE_TINY_FILES, 90,
		STATE_SOFT, 50, 40);
	check_rule("[users]\nbytes.hard=10M", RULE_BYTES, (10 << 20) + 54000, STATE_HARD, 10 << 20,
		54000);
	check_rule("[users]\nallocated_bytes.hard=11M", RULE_ALLOCATED_BYTES, (10 << 20) + 54000,
		STATE_OK, 11 << 20, 0);
	check_rule("[policy]\ntiny_percent_from=1\n[users]\ntiny_percent.hard=89",
		RULE_TINY_PERCENT, 90, STATE_HARD, 89, 1);
	check_rule("[users]\nold_files.hard=59", RULE_OLD_FILES, 60, STATE_HARD, 59, 1);
	check_rule("[users]\nold_bytes.hard=36000", RULE_OLD_BYTES, 36000, STATE_OK, 36000, 0);
}

static void at_a_limit_is_within_it(void **state)
{
	(void)state;
	check_rule("[users]\nfiles.soft=100\nfiles.hard=100", RULE_FILES, 100, STATE_OK, 100, 0);
	check_rule("[users]\nfiles.soft=99\nfiles.hard=100", RULE_FILES, 100, STATE_SOFT, 99, 1);
	check_rule("[users]\nfiles.soft=98\nfiles.hard=99", RULE_FILES, 100, STATE_HARD, 99, 2);
	check_rule("[users]\nfiles.soft=0", RULE_FILES, 100, STATE_SOFT, 0, 100);
}

static void files_per_tb_go_by_what_is_granted(void **state)
{
	struct policy_limits limits;
	struct policy_owner owner = {.files = 100, .allocated_bytes = 5 * TB};

	(void)state;
	memset(&limits, 0xff, sizeof(limits));
	for (int i = 0; i < POLICY_RULES; i++)
		limits.soft[i] = limits.hard[i] = POLICY_NONE;
	assert_int_equal(policy_per_tb_bytes(&owner, &limits), 5 * TB);
	assert_int_equal(policy_per_tb_files(&owner, &limits, 10), 50);
	limits.soft[RULE_BYTES] = 7 * TB;
	assert_int_equal(policy_per_tb_bytes(&owner, &limits), 7 * TB);
	limits.hard[RULE_ALLOCATED_BYTES] = 2 * TB;
	assert_int_equal(policy_per_tb_bytes(&owner, &limits), 2 * TB);
	limits.hard[RULE_ALLOCATED_BYTES] = 1;
	assert_int_equal(policy_per_tb_bytes(&owner, &limits), TB);
	owner.files = UINT64_MAX;
	assert_int_equal(policy_per_tb_files(&owner, &limits, POLICY_MAX_LIMIT), POLICY_MAX_LIMIT);
	/* a terabyte at least: 100 files are 100 per TB */
	check_rule("[users]\nfiles_per_tb.hard=99", RULE_FILES_PER_TB, 100, STATE_HARD, 99, 1);
}

static void shares_are_asked_of_those_with_many_files(void **state)
{
	struct policy_evaluation evaluation;
	struct policy_finding finding;
	struct policy policy;
	struct world world;

	(void)state;
	world_init(&world);
	evaluate(&world, "[users]\ntiny_percent.hard=50", &policy, &evaluation);
	assert_false(policy_finding_of(
		verdict_of(&evaluation, OWNER_USER, 1000), RULE_TINY_PERCENT, &finding));
	finding = finding_of(&evaluation, OWNER_USER, 1001, RULE_TINY_PERCENT);
	assert_int_equal(finding.value, 100);
	assert_int_equal(finding.state, STATE_HARD);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	world_fini(&world);
}

static void owners_of_all_kinds_are_counted(void **state)
{
	struct policy_evaluation evaluation;
	struct policy policy;
	struct world world;

	(void)state;
	world_init(&world);
	evaluate(&world,
		"[exempt]\nusers = bob\n[users]\nfiles.soft=10\n[groups]\ninodes.hard=105\n"
		"[projects]\ninodes.hard=1",
		&policy, &evaluation);
	assert_null(verdict_of(&evaluation, OWNER_USER, 1001));
	assert_null(verdict_of(&evaluation, OWNER_USER, 0));
	assert_null(verdict_of(&evaluation, OWNER_PROJECT, 0));
	assert_int_equal(evaluation.exempt[OWNER_USER], 2);
	assert_int_equal(evaluation.exempt[OWNER_GROUP], 1);
	assert_int_equal(evaluation.owners[OWNER_USER][STATE_SOFT], 1);
	assert_int_equal(evaluation.owners[OWNER_GROUP][STATE_OK], 1);
	assert_int_equal(evaluation.owners[OWNER_GROUP][STATE_HARD], 1);
	assert_int_equal(finding_of(&evaluation, OWNER_GROUP, 2100, RULE_INODES).state, STATE_OK);
	assert_int_equal(finding_of(&evaluation, OWNER_PROJECT, 7, RULE_INODES).value, 105);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	world_fini(&world);
}

static void sums_at_their_end_are_over(void **state)
{
	struct policy_evaluation evaluation;
	struct policy policy;
	struct world world;

	(void)state;
	world_init(&world);
	add(&world.cube, 5000, 1, 0, KIND_REGULAR, 64, UINT64_MAX, UINT64_MAX);
	evaluate(&world,
		"[users]\nfiles.hard=9223372036854775807\nbytes.hard=1\nfiles_per_tb.hard=1\n"
		"tiny_percent.hard=1",
		&policy, &evaluation);
	assert_int_equal(finding_of(&evaluation, OWNER_USER, 5000, RULE_FILES).state, STATE_HARD);
	assert_int_equal(finding_of(&evaluation, OWNER_USER, 5000, RULE_BYTES).state, STATE_HARD);
	assert_int_equal(
		finding_of(&evaluation, OWNER_USER, 5000, RULE_FILES_PER_TB).state, STATE_HARD);
	assert_int_equal(finding_of(&evaluation, OWNER_USER, 5000, RULE_TINY_PERCENT).value, 0);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	world_fini(&world);
}

/* Two sparse files of the largest size there is: 2^64 - 2 bytes are a value like any other. */
static void no_amount_passes_for_not_asked(void **state)
{
	struct policy_evaluation evaluation;
	struct policy policy;
	struct world world;

	(void)state;
	world_init(&world);
	add(&world.cube, 5000, 1, 0, KIND_REGULAR, 63, 1, INT64_MAX);
	add(&world.cube, 5000, 2, 0, KIND_REGULAR, 63, 1, INT64_MAX);
	evaluate(&world, "[users]\nbytes.hard=1T\nallocated_bytes.soft=1", &policy, &evaluation);
	assert_int_equal(finding_of(&evaluation, OWNER_USER, 5000, RULE_BYTES).state, STATE_HARD);
	assert_int_equal(
		finding_of(&evaluation, OWNER_USER, 5000, RULE_ALLOCATED_BYTES).state, STATE_SOFT);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	world_fini(&world);
}

/* Who is exempt from nothing is not exempt: a policy for users does not count groups. */
static void the_exempt_are_those_there_is_a_limit_for(void **state)
{
	struct policy_evaluation evaluation;
	struct policy policy;
	struct world world;

	(void)state;
	world_init(&world);
	evaluate(&world, "[users]\nfiles.soft=10", &policy, &evaluation);
	assert_int_equal(evaluation.exempt[OWNER_USER], 1);
	assert_int_equal(evaluation.exempt[OWNER_GROUP], 0);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	evaluate(&world, "[exempt]\nusers=bob\n[user 1000]\nfiles.soft=10", &policy, &evaluation);
	assert_int_equal(evaluation.exempt[OWNER_USER], 0);
	assert_int_equal(evaluation.count, 1);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	world_fini(&world);
}

static void what_may_be_young_is_not_old(void **state)
{
	struct ages ages;
	struct ages_key key = {0};

	(void)state;
	ages_init(&ages, TODAY);
	for (int64_t age = 0; age < 1000; age++) {
		int64_t day = TODAY - age;
		int64_t start = ages_period_start(day, TODAY, ages.resolution);

		key.day = (int32_t)start;
		/* a period is old if its last day is */
		if (policy_is_old(&ages, &key, 180) && age <= 180)
			fail_msg("%lld days are not more than 180", (long long)age);
		if (!policy_is_old(&ages, &key, 180) && age > 180 + 28)
			fail_msg("%lld days are old", (long long)age);
	}
	ages.resolution = AGES_NONE;
	key.day = ages_period_start(TODAY - 5000, TODAY, AGES_NONE);
	assert_false(policy_is_old(&ages, &key, 180));
	ages_fini(&ages);
}

static struct quota_limits enforceable(const char *text)
{
	struct policy_evaluation evaluation;
	struct quota_limits limits;
	struct policy policy;
	struct world world;

	world_init(&world);
	evaluate(&world, text, &policy, &evaluation);
	policy_enforceable(verdict_of(&evaluation, OWNER_USER, 1000), &limits);
	policy_evaluation_fini(&evaluation);
	policy_fini(&policy);
	world_fini(&world);
	return limits;
}

static void limits_become_what_xfs_knows(void **state)
{
	struct quota_limits limits = enforceable(
		"[users]\nfiles.soft=500\nfiles.hard=1000\ninodes.hard=900\nbytes.hard=1000");

	(void)state;
	assert_int_equal(limits.inodes_soft, 500);
	assert_int_equal(limits.inodes_hard, 900);
	assert_int_equal(limits.bytes_soft, 0);
	assert_int_equal(limits.bytes_hard, 1024);
	/* 0 would be no limit at all; and no soft limit above a hard one of another rule */
	limits = enforceable("[users]\nfiles.hard=0\nallocated_bytes.hard=0\ninodes.soft=7");
	assert_int_equal(limits.inodes_hard, 1);
	assert_int_equal(limits.inodes_soft, 1);
	assert_int_equal(limits.bytes_hard, 512);
	limits = enforceable("[users]\nfiles_per_tb.hard=10k\nallocated_bytes.hard=4T");
	assert_int_equal(limits.inodes_hard, 43980);
	limits = enforceable("[users]\nallocated_bytes.hard=9223372036854775807");
	assert_int_equal(limits.bytes_hard, INT64_MAX / 512 * 512);
	limits = enforceable("[users]\ntiny_files.hard=1\ntiny_percent.hard=1\nold_files.hard=1");
	assert_int_equal(
		limits.inodes_hard | limits.inodes_soft | limits.bytes_hard | limits.bytes_soft, 0);
}

static void accounting_is_explained(void **state)
{
	static const struct {
		bool known;
		uint64_t inodes;
		uint64_t bytes;
		bool whole;
		uint64_t errors;
		const char *why;
		int error;
	} cases[] = {
		{false, 0, 0, true, 0, "only root is told what others have", -EPERM},
		{false, 0, 0, true, 0, "quota could not be asked", -EIO},
		{false, 0, 0, true, 0, "quota knows nothing of this owner", 0},
		{true, 100, 4096, true, 0, "same", 0},
		{true, 101, 8192, true, 0, "created since the scan", 0},
		{true, 101, 8192, true, 3, "created since the scan, or what it could not read", 0},
		{true, 99, 4096, true, 3, "deleted since the scan, or given to others", 0},
		{true, 100, 8192, true, 0, "written since the scan, or allocated ahead of writing",
			0},
		{true, 100, 0, true, 0, "truncated since the scan, or given back after writing", 0},
		{true, 500, 0, false, 0,
			"the scan is of a tree only, quota of the whole filesystem", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		const struct policy_usage usage = {
			.known = cases[i].known,
			.error = cases[i].error,
			.inodes = cases[i].inodes,
			.allocated_bytes = cases[i].bytes,
		};
		const struct policy_usage_scan scan = {cases[i].whole, cases[i].errors};

		assert_string_equal(policy_usage_explain(&usage, 100, 4096, &scan), cases[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_has_its_value),
		cmocka_unit_test(at_a_limit_is_within_it),
		cmocka_unit_test(files_per_tb_go_by_what_is_granted),
		cmocka_unit_test(shares_are_asked_of_those_with_many_files),
		cmocka_unit_test(owners_of_all_kinds_are_counted),
		cmocka_unit_test(sums_at_their_end_are_over),
		cmocka_unit_test(no_amount_passes_for_not_asked),
		cmocka_unit_test(the_exempt_are_those_there_is_a_limit_for),
		cmocka_unit_test(what_may_be_young_is_not_old),
		cmocka_unit_test(limits_become_what_xfs_knows),
		cmocka_unit_test(accounting_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
