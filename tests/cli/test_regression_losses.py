"""huber and poisson, as a user runs them: train, predict, path, cv, list."""
import math
import random
import unittest

from program import ProgramTest


def counts(rows=300):
    rng = random.Random(1)
    lines = []
    for _ in range(rows):
        a, b = rng.gauss(0, 1), rng.gauss(0, 1)
        mean, count, left = math.exp(0.7 * a - 0.4 * b + 1), 0, rng.random()
        share = math.exp(-mean)
        while left > share and count < 200:
            left -= share
            count += 1
            share *= mean / count
        lines.append(f"{count} 1:{a:.4f} 2:{b:.4f}\n")
    return "".join(lines)


class RegressionLosses(ProgramTest):
    def test_they_are_listed(self):
        listed, _ = self.run_program("list", "losses")
        self.assertIn("huber", listed)
        self.assertIn("poisson", listed)

    def test_poisson_from_train_to_predict(self):
        self.write("c.svm", counts())
        for solver in ("auto", "newton", "sampled-newton", "lbfgs"):
            result = self.run_json("train", "c.svm", "--loss", "poisson", "--solver", solver, "--tol", "1e-8", "-o", "c.model")
            self.assertEqual(result["status"], "converged", solver)
        margins = self.run_program("predict", "c.model", "c.svm", "--margin", "-o", "-")[0].split()
        numbers = self.run_program("predict", "c.model", "c.svm", "-o", "-")[0].split()
        for margin, number in zip(margins, numbers):
            self.assertAlmostEqual(float(number), math.exp(float(margin)), delta=1e-9 * float(number))
        metrics = self.run_json("predict", "c.model", "c.svm")
        labels = [float(line.split()[0]) for line in self.read("c.svm").decode().splitlines()]
        deviance = [2 * (float(p) - y + (y * math.log(y / float(p)) if y > 0 else 0)) for p, y in zip(numbers, labels)]
        self.assertAlmostEqual(metrics["deviance"], sum(deviance) / len(deviance), places=9)
        self.assertGreater(metrics["d2"], 0.3)
        self.assertIn("exp(margin)", self.run_program("inspect", "c.model")[0])

    def test_poisson_along_a_path_and_in_cross_validation(self):
        self.write("c.svm", counts())
        for penalty in ("l2", "l1"):
            path = self.run_json("path", "c.svm", "--loss", "poisson", "--penalty", penalty, "--lambdas", "10")
            self.assertEqual(path["status"], "converged")
        result = self.run_json("cv", "c.svm", "--loss", "poisson", "--folds", "3", "--lambdas", "8")
        self.assertEqual(result["metric"], "deviance")
        self.run_json("cv", "c.svm", "--loss", "poisson", "--folds", "3", "--lambdas", "5", "--metric", "d2")

    def test_huber_with_its_knee(self):
        data = "gen:regression?rows=300&cols=5"
        objectives = [self.run_json("train", data, "--loss", "huber", "--knee", knee)["objective"] for knee in ("0.01", "0.1", "1000")]
        self.assertEqual(sorted(objectives), objectives)
        squared = self.run_json("train", data, "--loss", "squared")["objective"]
        self.assertAlmostEqual(objectives[2], squared, delta=1e-3 * squared)
        self.assertEqual(self.run_json("path", data, "--loss", "huber", "--penalty", "l1", "--lambdas", "8")["status"], "converged")
        self.assertEqual(self.run_json("cv", data, "--loss", "huber", "--folds", "3", "--lambdas", "5")["metric"], "rmse")

    def test_refusals_name_what_is_missing(self):
        self.write("c.svm", counts())
        self.write("bad.svm", "1 1:1\n-2 1:2\n")
        self.assertIn("the label of row 1 is -2", self.error_of("train", "bad.svm", "--loss", "poisson"))
        self.assertIn("dual needs a bounded curvature; the loss poisson has none",
                      self.error_of("train", "c.svm", "--loss", "poisson", "--solver", "dual", expect=2))
        self.assertIn("the automatic step of sgd needs a bounded curvature",
                      self.error_of("train", "c.svm", "--loss", "poisson", "--solver", "sgd", expect=2))
        self.assertIn("knee", self.error_of("train", "c.svm", "--loss", "huber", "--knee", "-1", expect=2))


if __name__ == "__main__":
    unittest.main()
