// SPDX-License-Identifier: GPL-2.0-or-later
/* What is learned from histories whose truth is known. */
#include "tests/unit/near.h"

#include "analyzer/window/learn.h"
#include "analyzer/window/random.h"
#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

#define DRAWS 2000

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_unit(random))) * cos(2 * M_PI * random_unit(random));
}

static struct correction learned(const double *ratios, size_t count)
{
	struct correction correction;

	learn(ratios, count, &correction);
	return correction;
}

/* --- The correction --------------------------------------------------------------------------- */

static void nothing_known(void **state)
{
	struct correction correction = learned(NULL, 0);
	struct prediction prediction = {.seconds = 10, .low_seconds = 9, .high_seconds = 12};

	(void)state;
	assert_int_equal(correction.lessons, 0);
	assert_near(correction.factor, 1, 0);
	learn_correct(&prediction, &correction);
	assert_near(prediction.seconds, 10, 0);
	assert_near(prediction.high_seconds, 12, 0);
}

/* A single dump is followed half the way at most, and however odd, not far. */
static void one_dump(void **state)
{
	(void)state;
	for (double ratio = 0.01; ratio < 100; ratio *= 1.1) {
		struct correction correction = learned(&ratio, 1);
		double way = log(correction.factor) / log(ratio);

		assert_true(way > 0 && way <= 0.5 + 1e-9);
		assert_true(fabs(log(correction.factor)) <= 0.135);
	}
}

static void n_of_n_plus_one(void **state)
{
	double ratios[LEARN_LESSONS];

	(void)state;
	for (size_t i = 0; i < LEARN_LESSONS; i++)
		ratios[i] = 1.1;
	for (size_t count = 1; count <= LEARN_LESSONS; count++) {
		double n = (double)count, way = n / (n + 1);

		assert_near(log(learned(ratios, count).factor), way * log(1.1), 1e-9);
	}
}

static void converges_to_the_truth(void **state)
{
	static const double truths[] = {0.5, 0.8, 0.97, 1, 1.2, 2};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(truths); i++) {
		struct random random = {.state = 7 + i};
		double ratios[LEARN_LESSONS], sum = 0, wanted;

		for (int draw = 0; draw < DRAWS; draw++) {
			for (size_t j = 0; j < LEARN_LESSONS; j++)
				ratios[j] = truths[i] * exp(0.05 * normal(&random));
			sum += log(learned(ratios, LEARN_LESSONS).factor);
		}
		wanted = log(truths[i]) * LEARN_LESSONS / (LEARN_LESSONS + 1);
		assert_near(sum / DRAWS, wanted, 0.002);
	}
}

/* Ten times as long, or a tenth, once in twenty nights: less than 1 %. */
static void an_odd_night(void **state)
{
	struct random random = {.state = 3};
	double ratios[LEARN_LESSONS];

	(void)state;
	for (int draw = 0; draw < DRAWS; draw++) {
		double odd = draw % 2 ? 10 : 0.1, before, after;
		struct correction correction;

		for (size_t i = 0; i < LEARN_LESSONS; i++)
			ratios[i] = 1.15 * exp(0.06 * normal(&random));
		before = learned(ratios, LEARN_LESSONS).factor;
		ratios[random_below(&random, LEARN_LESSONS)] *= odd;
		correction = learned(ratios, LEARN_LESSONS);
		after = correction.factor;
		assert_true(fabs(after / before - 1) < 0.015);
		assert_true(correction.spread < 0.12);
	}
}

/* Noisy nights are believed later than steady ones. */
static void noise_slows(void **state)
{
	const double steady[] = {1.3, 1.31, 1.29, 1.3}, noisy[] = {1.0, 1.69, 0.8, 2.1};

	(void)state;
	assert_true(learned(steady, 4).factor > 1.2);
	assert_true(learned(noisy, 4).factor < 1.15);
	assert_true(learned(noisy, 4).spread > 4 * learned(steady, 4).spread);
}

static void bounded(void **state)
{
	double ratios[LEARN_LESSONS];

	(void)state;
	for (size_t i = 0; i < LEARN_LESSONS; i++)
		ratios[i] = 1e6;
	assert_near(learned(ratios, LEARN_LESSONS).factor, LEARN_MAX_FACTOR, 1e-9);
	for (size_t i = 0; i < LEARN_LESSONS; i++)
		ratios[i] = 1e-6;
	assert_near(learned(ratios, LEARN_LESSONS).factor, 1 / LEARN_MAX_FACTOR, 1e-9);
}

/* Whatever the order, and mirrored if the history is; only the newest count. */
static void symmetries(void **state)
{
	struct random random = {.state = 11};

	(void)state;
	for (int draw = 0; draw < DRAWS; draw++) {
		double ratios[LEARN_LESSONS + 1], turned[LEARN_LESSONS], inverse[LEARN_LESSONS];
		size_t count = 1 + random_below(&random, LEARN_LESSONS);
		double factor;

		for (size_t i = 0; i < count; i++) {
			ratios[i] = exp(normal(&random));
			inverse[i] = 1 / ratios[i];
			turned[count - 1 - i] = ratios[i];
		}
		factor = learned(ratios, count).factor;
		assert_near(learned(turned, count).factor, factor, 1e-9);
		assert_near(learned(inverse, count).factor, 1 / factor, 1e-9);
		ratios[LEARN_LESSONS] = 1e9;
		if (count == LEARN_LESSONS)
			assert_near(learned(ratios, count + 1).factor, factor, 0);
	}
}

static void past_errors(void **state)
{
	/* predictions were 25 % too long, right, 20 % too short, …; the sixth is too old */
	const double ratios[] = {0.8, 1, 1.25, 1.0 / 1.03, 2, 1e3};
	struct correction correction = learned(ratios, ARRAY_LENGTH(ratios));

	(void)state;
	assert_int_equal(correction.lessons, 6);
	assert_int_equal(correction.shown, 5);
	assert_near(correction.median_error, 0, 1e-12);
	assert_near(correction.lowest_error, -0.5, 1e-12);
	assert_near(correction.highest_error, 0.25, 1e-12);
	correction = learned(ratios, 4);
	assert_int_equal(correction.shown, 4);
	assert_near(correction.median_error, 0.015, 1e-12);
}

/* --- Corrected predictions -------------------------------------------------------------------- */

static void all_seconds_together(void **state)
{
	const struct correction correction = {.lessons = 3, .factor = 1.5, .spread = 0};
	struct prediction_class classes[] = {{.seconds = 30}, {.seconds = 50}};
	struct prediction_user users[] = {{.seconds = 60, .tiny_seconds = 30}, {.seconds = 40}};
	struct prediction_variant variants[] = {
		{.seconds = 100, .low_seconds = 80, .high_seconds = 125}, {.seconds = NAN}};
	struct prediction prediction = {
		.seconds = 100,
		.low_seconds = 80,
		.high_seconds = 125,
		.phases = {[PHASE_INODE_MAP] = 20, [PHASE_FILES] = 80},
		.phases_low = {[PHASE_INODE_MAP] = 20, [PHASE_FILES] = 60},
		.phases_high = {[PHASE_INODE_MAP] = 20, [PHASE_FILES] = 105},
		.class_count = 2,
		.classes = classes,
		.user_count = 2,
		.users = users,
		.variant_count = 2,
		.variants = variants,
		.verdict = {.seconds = {[CAUSE_CONTENTS] = 100}, .dump_bytes_per_second = 30},
	};

	(void)state;
	learn_correct(&prediction, &correction);
	assert_near(prediction.seconds, 150, 1e-9);
	assert_near(prediction.low_seconds, 120, 1e-9);
	assert_near(prediction.high_seconds, 187.5, 1e-9);
	assert_near(prediction.phases[PHASE_INODE_MAP], 30, 1e-9);
	assert_near(prediction.phases[PHASE_FILES], 120, 1e-9);
	assert_near(prediction.phases_low[PHASE_FILES], 90, 1e-9);
	assert_near(prediction.phases_high[PHASE_FILES], 157.5, 1e-9);
	assert_near(classes[1].seconds, 75, 1e-9);
	assert_near(users[0].seconds + users[1].seconds, 150, 1e-9);
	assert_near(users[0].tiny_seconds, 45, 1e-9);
	assert_near(variants[0].seconds, 150, 1e-9);
	assert_near(variants[0].high_seconds, 187.5, 1e-9);
	assert_true(isnan(variants[1].seconds));
	assert_near(prediction.verdict.seconds[CAUSE_CONTENTS], 150, 1e-9);
	assert_near(prediction.verdict.dump_bytes_per_second, 20, 1e-9);
}

static void spread_widens(void **state)
{
	struct correction correction = {.lessons = 3, .factor = 1};
	double before = 0;

	(void)state;
	for (correction.spread = 0; correction.spread < 2; correction.spread += 0.1) {
		struct prediction prediction = {
			.seconds = 100, .low_seconds = 90, .high_seconds = 110};

		learn_correct(&prediction, &correction);
		assert_true(prediction.high_seconds > before);
		assert_near(prediction.low_seconds * prediction.high_seconds, 1e4, 1e-6);
		before = prediction.high_seconds;
	}
	assert_true(before > 1000);
}

/*
 * A model off by a factor that stays, nights that differ, one in fifteen of them odd, and an
 * interval that claims ±8 %: after a few dumps it must hold nearly all ordinary nights.
 */
static void covers_the_next_dump(void **state)
{
	static const size_t counts[] = {3, 5, 10, 20};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(counts); i++) {
		struct random random = {.state = 100 + i};
		int covered = 0;

		for (int draw = 0; draw < DRAWS; draw++) {
			double bias = exp(0.15 * normal(&random)), actual = 1000 * bias;
			double ratios[LEARN_LESSONS];
			struct correction correction;
			struct prediction prediction = {
				.seconds = 1000, .low_seconds = 926, .high_seconds = 1080};

			for (size_t j = 0; j < counts[i]; j++)
				ratios[j] = bias * exp(0.06 * normal(&random)) *
					    (random_below(&random, 15) ? 1 : 3);
			actual *= exp(0.06 * normal(&random));
			learn(ratios, counts[i], &correction);
			learn_correct(&prediction, &correction);
			covered += actual >= prediction.low_seconds &&
				   actual <= prediction.high_seconds;
		}
		if (covered < 0.93 * DRAWS)
			fail_msg("%zu dumps: %d of %d covered", counts[i], covered, DRAWS);
	}
}

/* --- Lessons ---------------------------------------------------------------------------------- */

static struct dump_record good(void)
{
	return (struct dump_record){
		.session = {.has_level = true,
			.seconds = 100,
			.media_bytes = 1000,
			.status = DUMP_SUCCESS},
		.has_prediction = true,
		.predicted_seconds = 103,
		.predicted_bytes = 1010,
	};
}

static void who_teaches(void **state)
{
	struct dump_record record = good();

	(void)state;
	assert_int_equal(lesson_of(&record), LESSON_LEARNED);
	assert_near(lesson_error(&record), 0.03, 1e-12);
	record.session.media_bytes = DUMP_UNKNOWN;
	assert_int_equal(lesson_of(&record), LESSON_LEARNED);
	record.session.media_bytes = 1516;
	assert_int_equal(lesson_of(&record), LESSON_OTHER_DUMP);
	record.session.media_bytes = 0;
	assert_int_equal(lesson_of(&record), LESSON_OTHER_DUMP);
	record = good();
	record.session.seconds = LEARN_MIN_SECONDS - 1;
	assert_int_equal(lesson_of(&record), LESSON_SHORT);
	record = good();
	record.has_prediction = false;
	assert_int_equal(lesson_of(&record), LESSON_UNPREDICTED);
	record = good();
	record.predicted_seconds = 0;
	assert_int_equal(lesson_of(&record), LESSON_UNPREDICTED);
	record = good();
	record.session.resumed = true;
	assert_int_equal(lesson_of(&record), LESSON_RESUMED);
	record = good();
	record.session.problems = DUMP_BAD_UUID;
	assert_int_equal(lesson_of(&record), LESSON_UNCLEAR);
	for (int status = 0; status < DUMP_STATUSES; status++) {
		record = good();
		record.session.status = status;
		assert_int_equal(lesson_of(&record), status == DUMP_SUCCESS ? LESSON_LEARNED
						     : status == DUMP_OPEN  ? LESSON_UNCLEAR
									    : LESSON_FAILED);
	}
	for (int lesson = 0; lesson < LESSONS; lesson++)
		assert_non_null(lesson_name(lesson));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(one_dump),
		cmocka_unit_test(n_of_n_plus_one),
		cmocka_unit_test(converges_to_the_truth),
		cmocka_unit_test(an_odd_night),
		cmocka_unit_test(noise_slows),
		cmocka_unit_test(bounded),
		cmocka_unit_test(symmetries),
		cmocka_unit_test(past_errors),
		cmocka_unit_test(all_seconds_together),
		cmocka_unit_test(spread_widens),
		cmocka_unit_test(covers_the_next_dump),
		cmocka_unit_test(who_teaches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
